//! libgcrypt, found at run time, under limits.
//!
//! It is opened by its soname, or at the path in the environment variable `ARIA_LIBGCRYPT`. What CPU
//! features it uses is settled once, before it is initialised (`GCRYCTL_DISABLE_HWF`, its manual,
//! section "Controlling the library"). To have it under several limits in one process, taking turns,
//! each set of limits gets a copy of the file: the dynamic linker loads those as so many libraries,
//! each with a state of its own.

mod arms;

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::{env, fs, ptr};

use anyhow::{Context, bail, ensure};
use libloading::Library as Shared;

use self::arms::{ARMS, CIPHER_MODE_XTS, Call, Direction};
use crate::bench::library::{Blocks, Family, IV, Library, Offer, Work, on_data, tweak_key};
use crate::bench::limits::Limits;
use crate::bench::operation::Operation;
use crate::bench::report::Absence;

/// The name by which the dynamic linker finds it.
const SONAME: &str = "libgcrypt.so.20";

/// The variable with a path to take instead.
const VARIABLE: &str = "ARIA_LIBGCRYPT";

// From gcrypt.h, whose values are fixed by its binary interface.
const CONTROL_RESET: c_int = 4;
const CONTROL_DISABLE_SECURE_MEMORY: c_int = 37;
const CONTROL_INITIALIZATION_FINISHED: c_int = 38;
const CONTROL_DISABLE_HWF: c_int = 63;

type Handle = *mut c_void;
type Error = c_uint;
type Crypt = unsafe extern "C" fn(Handle, *mut c_void, usize, *const c_void, usize) -> Error;

type SetBytes = unsafe extern "C" fn(Handle, *const c_void, usize) -> Error;
type Open = unsafe extern "C" fn(*mut Handle, c_int, c_int, c_uint) -> Error;

/// The library's file, and where its copies go.
struct Copies {
    file: PathBuf,
    folder: tempfile::TempDir,
}

impl Copies {
    /// The file, once a copy of it was seen to work; a fault is told once, not for each set of limits.
    fn of_usable() -> anyhow::Result<Self> {
        let copies = Self { file: file()?, folder: tempfile::tempdir()? };
        copies.open(&Limits::none())?;
        Ok(copies)
    }

    /// A copy under `limits`. It stays loaded for the rest of the process, its file need not.
    fn open(&self, limits: &Limits) -> anyhow::Result<Libgcrypt> {
        let copy = tempfile::Builder::new().suffix(".so").tempfile_in(&self.folder)?;
        fs::copy(&self.file, copy.path())
            .with_context(|| format!("cannot copy {}", self.file.display()))?;
        Libgcrypt::open(copy.path(), limits)
    }
}

/// The functions in use, with the types that gcrypt.h gives them.
#[derive(Clone, Copy, Debug)]
struct Functions {
    check_version: unsafe extern "C" fn(*const c_char) -> *const c_char,
    control: unsafe extern "C" fn(c_int, ...) -> Error,
    map_name: unsafe extern "C" fn(*const c_char) -> c_int,
    open: Open,
    close: unsafe extern "C" fn(Handle),
    set_key: SetBytes,
    set_iv: SetBytes,
    set_counter: SetBytes,
    encrypt: Crypt,
    decrypt: Crypt,
    mac: MacFunctions,
}

/// Those of message authentication.
#[derive(Clone, Copy, Debug)]
struct MacFunctions {
    map_name: unsafe extern "C" fn(*const c_char) -> c_int,
    open: unsafe extern "C" fn(*mut Handle, c_int, c_uint, Handle) -> Error,
    close: unsafe extern "C" fn(Handle),
    set_key: SetBytes,
    control: unsafe extern "C" fn(Handle, c_int, *mut c_void, usize) -> Error,
    write: SetBytes,
    read: unsafe extern "C" fn(Handle, *mut c_void, *mut usize) -> Error,
}

/// The library under one set of limits.
#[derive(Debug)]
pub(crate) struct Libgcrypt {
    functions: Functions,
    name: String,
    limits: Limits,
}

impl Libgcrypt {
    /// The library under each of `limits`, and what is not there.
    pub(crate) fn under(limits: &[Limits]) -> (Vec<Self>, Vec<Absence>) {
        let absent = |suffix: &str, error: anyhow::Error| Absence {
            name: format!("libgcrypt{suffix}"),
            reason: format!("{error:#}"),
        };
        let copies = match Copies::of_usable() {
            Ok(copies) => copies,
            Err(error) => return (Vec::new(), vec![absent("", error)]),
        };
        let (mut present, mut missing) = (Vec::new(), Vec::new());
        for limits in limits {
            match copies.open(limits) {
                Ok(library) => present.push(library),
                Err(error) => missing.push(absent(&limits.suffix(), error)),
            }
        }
        (present, missing)
    }

    /// Loads and initialises the file at `path`.
    fn open(path: &Path, limits: &Limits) -> anyhow::Result<Self> {
        let shared = load(path)?;
        let functions = Functions::of(shared)?;
        for hardware in limits.kept_away() {
            let name = CString::new(hardware.hwf)?;
            // SAFETY: the request takes a string and a null pointer; the string outlives the call.
            let error = unsafe {
                (functions.control)(CONTROL_DISABLE_HWF, name.as_ptr(), ptr::null::<c_void>())
            };
            ensure!(error == 0, "it does not know the CPU feature {}", hardware.hwf);
        }
        // SAFETY: null asks for no certain version; the answer is a static string.
        let version = unsafe {
            let version = (functions.check_version)(ptr::null());
            ensure!(!version.is_null(), "it did not initialise");
            CStr::from_ptr(version).to_string_lossy().into_owned()
        };
        // SAFETY: the first request takes an int, the second as well; secure memory is not used.
        unsafe {
            (functions.control)(CONTROL_DISABLE_SECURE_MEMORY, 0 as c_int);
            (functions.control)(CONTROL_INITIALIZATION_FINISHED, 0 as c_int);
        }
        let name = format!("libgcrypt {version}{}", limits.suffix());
        let library = Self { functions, name, limits: limits.clone() };
        ensure!(library.algorithm(16) != 0, "version {version} has no ARIA; 1.11 is the first");
        Ok(library)
    }

    /// Its number for ARIA with a key of so many bytes; 0 if it has none.
    fn algorithm(&self, key_bytes: usize) -> c_int {
        let name = match key_bytes {
            16 => c"ARIA128",
            24 => c"ARIA192",
            _ => c"ARIA256",
        };
        // SAFETY: the string ends with a zero byte and is only read.
        unsafe { (self.functions.map_name)(name.as_ptr()) }
    }

    /// A cipher in `mode` for keys of so many bytes, with `keys`: two of them for XTS.
    fn cipher(&self, mode: c_int, key_bytes: usize, keys: &[u8]) -> anyhow::Result<Cipher> {
        let mut handle = ptr::null_mut();
        let algorithm = self.algorithm(key_bytes);
        // SAFETY: `handle` can be written to; the library is initialised.
        let error = unsafe { (self.functions.open)(&raw mut handle, algorithm, mode, 0) };
        if error != 0 || handle.is_null() {
            bail!("{}: it cannot open ARIA in mode {mode}: error {error}", self.name);
        }
        let mut cipher = Cipher { functions: self.functions, handle };
        cipher.set_key(keys);
        Ok(cipher)
    }

    /// CMAC under `key`.
    fn mac(&self, key: &[u8]) -> anyhow::Result<Mac> {
        let (functions, mut handle) = (self.functions.mac, ptr::null_mut());
        // SAFETY: the string ends with a zero byte and is only read; `handle` can be written to;
        // the last argument may be null.
        let error = unsafe {
            let algorithm = (functions.map_name)(c"CMAC_ARIA".as_ptr());
            (functions.open)(&raw mut handle, algorithm, 0, ptr::null_mut())
        };
        if error != 0 || handle.is_null() {
            bail!("{}: it cannot open CMAC over ARIA: error {error}", self.name);
        }
        let mac = Mac { functions, handle };
        // SAFETY: the handle was opened above; the key is readable for its length.
        let error = unsafe { (functions.set_key)(handle, key.as_ptr().cast(), key.len()) };
        ensure!(error == 0, "{}: CMAC refused a key of {} bytes", self.name, key.len());
        Ok(mac)
    }
}

impl Library for Libgcrypt {
    fn family(&self) -> Family {
        Family::Libgcrypt
    }

    fn limits(&self) -> Option<&Limits> {
        Some(&self.limits)
    }

    fn offers(&self, operation: Operation, key: &[u8]) -> anyhow::Result<Vec<Offer>> {
        let work: Box<dyn Work> = if operation == Operation::Cmac {
            let mut mac = self.mac(key)?;
            on_data(move |data| mac.tag(data))
        } else {
            let Some(arm) = ARMS.iter().find(|arm| arm.operation == operation) else {
                return Ok(Vec::new());
            };
            let mut keys = key.to_vec();
            if arm.mode == CIPHER_MODE_XTS {
                keys.extend(tweak_key(key));
            }
            let mut cipher = self.cipher(arm.mode, key.len(), &keys)?;
            let functions = self.functions;
            let crypt = match arm.direction {
                Direction::Encrypt => functions.encrypt,
                Direction::Decrypt => functions.decrypt,
            };
            match arm.call {
                Call::Data => on_data(move |data| cipher.crypt(crypt, data)),
                Call::Message => on_data(move |data| {
                    cipher.start(functions.set_iv);
                    cipher.crypt(crypt, data);
                }),
                Call::Counter => on_data(move |data| {
                    cipher.start(functions.set_counter);
                    cipher.crypt(crypt, data);
                }),
                Call::Block => on_data(move |data| cipher.crypt(crypt, &mut data[..1])),
                Call::Key => Box::new(KeySetUp { key: keys, cipher }),
            }
        };
        Ok(vec![Offer { name: self.name.clone(), work }])
    }
}

/// A cipher handle with a key.
struct Cipher {
    functions: Functions,
    handle: Handle,
}

impl Cipher {
    fn set_key(&mut self, key: &[u8]) {
        // SAFETY: the handle is open, since only `drop` closes it; the key is readable.
        let error =
            unsafe { (self.functions.set_key)(self.handle, key.as_ptr().cast(), key.len()) };
        assert_eq!(error, 0, "libgcrypt refused a key of {} bytes", key.len());
    }

    /// Sets what a message starts from, by the function for it.
    fn start(&mut self, set: SetBytes) {
        // SAFETY: the handle is open and in a mode that takes 16 bytes.
        let error = unsafe { set(self.handle, IV.as_ptr().cast(), IV.len()) };
        assert_eq!(error, 0, "libgcrypt refused an IV");
    }

    fn crypt(&mut self, crypt: Crypt, data: &mut Blocks) {
        let bytes = data.as_flattened_mut();
        // SAFETY: the handle is open and has a key; no input means in place; the buffer is readable
        // and writable for its length.
        let error =
            unsafe { crypt(self.handle, bytes.as_mut_ptr().cast(), bytes.len(), ptr::null(), 0) };
        assert_eq!(error, 0, "libgcrypt refused {} bytes", bytes.len());
    }
}

impl Drop for Cipher {
    fn drop(&mut self) {
        // SAFETY: the handle was opened once and is closed once.
        unsafe { (self.functions.close)(self.handle) }
    }
}

/// A handle for message authentication, with a key.
struct Mac {
    functions: MacFunctions,
    handle: Handle,
}

impl Mac {
    /// Puts the tag of a message in the place of its first block.
    fn tag(&mut self, data: &mut Blocks) {
        let bytes = data.as_flattened_mut();
        let mut written = 16;
        // SAFETY: the handle is open and has a key; to start again takes no argument; the buffer is
        // readable for its length and, since it has a block, writable for a tag.
        let errors = unsafe {
            [
                (self.functions.control)(self.handle, CONTROL_RESET, ptr::null_mut(), 0),
                (self.functions.write)(self.handle, bytes.as_ptr().cast(), bytes.len()),
                (self.functions.read)(self.handle, bytes.as_mut_ptr().cast(), &raw mut written),
            ]
        };
        assert_eq!((errors, written), ([0; 3], 16), "libgcrypt made no tag");
    }
}

impl Drop for Mac {
    fn drop(&mut self) {
        // SAFETY: the handle was opened once and is closed once.
        unsafe { (self.functions.close)(self.handle) }
    }
}

/// Key set-up on an open handle, as its users do it.
struct KeySetUp {
    key: Vec<u8>,
    cipher: Cipher,
}

impl Work for KeySetUp {
    fn run(&mut self, _: &mut Blocks, calls: u32) {
        for _ in 0..calls {
            self.cipher.set_key(&self.key);
        }
    }

    fn witness(&mut self, data: &mut Blocks) {
        self.cipher.set_key(&self.key);
        self.cipher.crypt(self.cipher.functions.encrypt, data);
    }
}

impl Functions {
    fn of(shared: &'static Shared) -> anyhow::Result<Self> {
        // SAFETY: each function is used with the type that gcrypt.h declares for its name, which its
        // soname promises to keep; the library is never unloaded.
        unsafe {
            Ok(Self {
                check_version: *shared.get("gcry_check_version")?,
                control: *shared.get("gcry_control")?,
                map_name: *shared.get("gcry_cipher_map_name")?,
                open: *shared.get("gcry_cipher_open")?,
                close: *shared.get("gcry_cipher_close")?,
                set_key: *shared.get("gcry_cipher_setkey")?,
                set_iv: *shared.get("gcry_cipher_setiv")?,
                set_counter: *shared.get("gcry_cipher_setctr")?,
                encrypt: *shared.get("gcry_cipher_encrypt")?,
                decrypt: *shared.get("gcry_cipher_decrypt")?,
                mac: MacFunctions {
                    map_name: *shared.get("gcry_mac_map_name")?,
                    open: *shared.get("gcry_mac_open")?,
                    close: *shared.get("gcry_mac_close")?,
                    set_key: *shared.get("gcry_mac_setkey")?,
                    control: *shared.get("gcry_mac_ctl")?,
                    write: *shared.get("gcry_mac_write")?,
                    read: *shared.get("gcry_mac_read")?,
                },
            })
        }
    }
}

/// Loads a library for the rest of the process.
fn load(path: &Path) -> anyhow::Result<&'static Shared> {
    // SAFETY: what runs at loading is libgcrypt's, which any program that is linked to it trusts.
    let shared = unsafe { Shared::new(path) };
    Ok(Box::leak(Box::new(shared.with_context(|| format!("cannot load {}", path.display()))?)))
}

/// Where the library's file is.
fn file() -> anyhow::Result<PathBuf> {
    if let Some(path) = env::var_os(VARIABLE) {
        return Ok(path.into());
    }
    load(Path::new(SONAME)).with_context(|| {
        format!("or set {VARIABLE} to the path of a libgcrypt of 1.11 or later")
    })?;
    let maps = fs::read_to_string("/proc/self/maps").context("cannot see where it was loaded")?;
    // The sixth field of a line of /proc/self/maps is the path (proc_pid_maps(5)).
    let mut paths = maps.lines().filter_map(|line| line.find('/').map(|start| &line[start..]));
    let found = paths.find(|path| path.contains(SONAME));
    Ok(found.with_context(|| format!("{SONAME} was loaded from no file"))?.into())
}
