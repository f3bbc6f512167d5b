//! OpenSSL's libcrypto, found at run time: its EVP interface, as its manual page
//! EVP_EncryptInit(3ossl) describes it.

use std::ffi::{CStr, CString, c_char, c_int, c_uchar, c_void};
use std::ptr;

use anyhow::{Context, ensure};
use libloading::Library as Shared;

use crate::bench::library::{Blocks, Family, IV, Library, Offer, Work, on_data};
use crate::bench::limits::Limits;
use crate::bench::operation::Operation;
use crate::bench::report::Absence;

/// The name by which the dynamic linker finds it.
const SONAME: &str = "libcrypto.so.3";

type Init = unsafe extern "C" fn(
    *mut c_void,
    *const c_void,
    *mut c_void,
    *const c_uchar,
    *const c_uchar,
) -> c_int;
type Update =
    unsafe extern "C" fn(*mut c_void, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;

/// The functions in use, with the types that evp.h gives them.
#[derive(Clone, Copy, Debug)]
struct Functions {
    version: unsafe extern "C" fn(c_int) -> *const c_char,
    fetch: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut c_void,
    free_cipher: unsafe extern "C" fn(*mut c_void),
    new_context: unsafe extern "C" fn() -> *mut c_void,
    free_context: unsafe extern "C" fn(*mut c_void),
    set_padding: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    encrypt_init: Init,
    decrypt_init: Init,
    encrypt_update: Update,
    decrypt_update: Update,
}

/// The library.
#[derive(Debug)]
pub(crate) struct OpenSsl {
    functions: Functions,
    name: String,
}

/// Which way a context works.
#[derive(Clone, Copy, Debug)]
enum Direction {
    Encrypt,
    Decrypt,
}

/// What a call does.
#[derive(Clone, Copy, Debug)]
enum Call {
    /// Takes the data.
    Data,
    /// Takes a new IV, then the data.
    Message,
    /// Takes the first block.
    Block,
    /// Takes a new key.
    Key,
}

/// How it does an operation.
struct Arm {
    operation: Operation,
    /// The mode as it names ciphers.
    mode: &'static str,
    direction: Direction,
    call: Call,
}

/// The operations that it has. Its XTS is for AES alone. Round keys are those of one direction.
#[rustfmt::skip]
const ARMS: &[Arm] = &{
    use {Call::{Block, Data, Key, Message}, Direction::{Decrypt, Encrypt}};
    const fn arm(operation: Operation, mode: &'static str, direction: Direction, call: Call) -> Arm {
        Arm { operation, mode, direction, call }
    }
    [
        arm(Operation::EcbEncrypt,     "ECB", Encrypt, Data),
        arm(Operation::EcbDecrypt,     "ECB", Decrypt, Data),
        arm(Operation::Ctr,            "CTR", Encrypt, Message),
        arm(Operation::CbcEncrypt,     "CBC", Encrypt, Message),
        arm(Operation::CbcDecrypt,     "CBC", Decrypt, Message),
        arm(Operation::CfbEncrypt,     "CFB", Encrypt, Message),
        arm(Operation::CfbDecrypt,     "CFB", Decrypt, Message),
        arm(Operation::Ofb,            "OFB", Encrypt, Message),
        arm(Operation::OneBlock,       "ECB", Encrypt, Block),
        arm(Operation::KeysEncryption, "ECB", Encrypt, Key),
        arm(Operation::KeysDecryption, "ECB", Decrypt, Key),
    ]
};

impl OpenSsl {
    /// The library, or why it is not there.
    pub(crate) fn find() -> Result<Self, Absence> {
        Self::open()
            .map_err(|error| Absence { name: "OpenSSL".to_owned(), reason: format!("{error:#}") })
    }

    fn open() -> anyhow::Result<Self> {
        // SAFETY: what runs at loading is OpenSSL's, which any program that is linked to it trusts.
        let shared = unsafe { Shared::new(SONAME) };
        let shared = shared.with_context(|| format!("cannot load {SONAME}"))?;
        let functions = Functions::of(Box::leak(Box::new(shared)))?;
        // SAFETY: 0 asks for the version; the answer is a static string.
        let version = unsafe { CStr::from_ptr((functions.version)(0)) }.to_string_lossy();
        let name = version.split_whitespace().take(2).collect::<Vec<_>>().join(" ");
        let library = Self { functions, name };
        CipherContext::new(functions, &ARMS[0], &[0; 16])?;
        Ok(library)
    }
}

impl Library for OpenSsl {
    fn family(&self) -> Family {
        Family::OpenSsl
    }

    fn limits(&self) -> Option<&Limits> {
        None
    }

    fn offers(&self, operation: Operation, key: &[u8]) -> anyhow::Result<Vec<Offer>> {
        let Some(arm) = ARMS.iter().find(|arm| arm.operation == operation) else {
            return Ok(Vec::new());
        };
        let mut context = CipherContext::new(self.functions, arm, key)?;
        let work: Box<dyn Work> = match arm.call {
            Call::Data => on_data(move |data| context.crypt(data)),
            Call::Message => on_data(move |data| {
                context.set_iv(&IV);
                context.crypt(data);
            }),
            Call::Block => on_data(move |data| context.crypt(&mut data[..1])),
            Call::Key => Box::new(KeySetUp { key: key.to_vec(), context }),
        };
        Ok(vec![Offer { name: self.name.clone(), work }])
    }
}

/// A context with a key, without padding.
struct CipherContext {
    functions: Functions,
    context: *mut c_void,
    direction: Direction,
}

impl CipherContext {
    fn new(functions: Functions, arm: &Arm, key: &[u8]) -> anyhow::Result<Self> {
        let (mode, direction) = (arm.mode, arm.direction);
        let name = CString::new(format!("ARIA-{}-{mode}", 8 * key.len()))?;
        // SAFETY: takes nothing.
        let context = unsafe { (functions.new_context)() };
        ensure!(!context.is_null(), "it cannot make a context");
        let made = Self { functions, context, direction };
        // SAFETY: null stands for the default library context and properties; the context is
        // initialised before its padding is set, and takes a reference of its own to the cipher.
        unsafe {
            let cipher = (functions.fetch)(ptr::null_mut(), name.as_ptr(), ptr::null());
            ensure!(!cipher.is_null(), "it has no {}", name.to_string_lossy());
            let (key, none) = (key.as_ptr(), ptr::null());
            let done = (made.init())(context, cipher, ptr::null_mut(), key, none);
            (functions.free_cipher)(cipher);
            ensure!(done == 1, "it refused a key");
            (functions.set_padding)(context, 0);
        }
        Ok(made)
    }

    const fn init(&self) -> Init {
        match self.direction {
            Direction::Encrypt => self.functions.encrypt_init,
            Direction::Decrypt => self.functions.decrypt_init,
        }
    }

    fn set_key(&mut self, key: &[u8]) {
        // SAFETY: the context has a cipher, whose key has this length; null keeps the cipher and
        // says that there is no initial value.
        let done = unsafe {
            (self.init())(self.context, ptr::null(), ptr::null_mut(), key.as_ptr(), ptr::null())
        };
        assert_eq!(done, 1, "OpenSSL refused a key of {} bytes", key.len());
    }

    fn set_iv(&mut self, iv: &[u8; 16]) {
        // SAFETY: the context has a cipher with a key, whose IV has 16 bytes; null keeps both.
        let done = unsafe {
            (self.init())(self.context, ptr::null(), ptr::null_mut(), ptr::null(), iv.as_ptr())
        };
        assert_eq!(done, 1, "OpenSSL refused an IV");
    }

    fn crypt(&mut self, data: &mut Blocks) {
        let update = match self.direction {
            Direction::Encrypt => self.functions.encrypt_update,
            Direction::Decrypt => self.functions.decrypt_update,
        };
        let bytes = data.as_flattened_mut();
        let length = c_int::try_from(bytes.len()).expect("requests are below 2 GiB");
        let mut written = 0;
        let data = bytes.as_mut_ptr();
        // SAFETY: the context has a cipher and a key; input and output may be the same; whole
        // blocks without padding give as many bytes as they take.
        let done = unsafe { update(self.context, data, &raw mut written, data, length) };
        assert_eq!((done, written), (1, length), "OpenSSL refused {length} bytes");
    }
}

impl Drop for CipherContext {
    fn drop(&mut self) {
        // SAFETY: the context was made once and is freed once.
        unsafe { (self.functions.free_context)(self.context) }
    }
}

/// Key set-up on a context that has its cipher, as its users do it.
struct KeySetUp {
    key: Vec<u8>,
    context: CipherContext,
}

impl Work for KeySetUp {
    fn run(&mut self, _: &mut Blocks, calls: u32) {
        for _ in 0..calls {
            self.context.set_key(&self.key);
        }
    }

    fn witness(&mut self, data: &mut Blocks) {
        self.context.set_key(&self.key);
        self.context.crypt(data);
    }
}

impl Functions {
    fn of(shared: &'static Shared) -> anyhow::Result<Self> {
        // SAFETY: each function is used with the type that OpenSSL's headers declare for its name,
        // which its soname promises to keep; the library is never unloaded.
        unsafe {
            Ok(Self {
                version: *shared.get("OpenSSL_version")?,
                fetch: *shared.get("EVP_CIPHER_fetch")?,
                free_cipher: *shared.get("EVP_CIPHER_free")?,
                new_context: *shared.get("EVP_CIPHER_CTX_new")?,
                free_context: *shared.get("EVP_CIPHER_CTX_free")?,
                set_padding: *shared.get("EVP_CIPHER_CTX_set_padding")?,
                encrypt_init: *shared.get("EVP_EncryptInit_ex")?,
                decrypt_init: *shared.get("EVP_DecryptInit_ex")?,
                encrypt_update: *shared.get("EVP_EncryptUpdate")?,
                decrypt_update: *shared.get("EVP_DecryptUpdate")?,
            })
        }
    }
}
