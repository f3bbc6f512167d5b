//! OpenSSL's libcrypto, if this machine has one: its ARIA modes through the EVP functions.
//!
//! Opened at run time, so that nothing here needs it to build or to pass. The functions called have
//! been there since OpenSSL 1.1, and every one is declared as in its manual page.

use std::ffi::{CString, c_char, c_int, c_uchar, c_void};
use std::ptr::null;

use libloading::Library;

use crate::modes::Direction;

/// Where the library is looked for.
const NAMES: [&str; 4] = ["libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so", "libcrypto.dylib"];

/// Pointers of OpenSSL's own, which are only ever handed back to it.
type Opaque = *mut c_void;

/// EVP_CIPHER *EVP_get_cipherbyname(const char *)
type ByName = unsafe extern "C" fn(*const c_char) -> *const c_void;
/// EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void)
type New = unsafe extern "C" fn() -> Opaque;
/// void EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *)
type Free = unsafe extern "C" fn(Opaque);
/// int EVP_CipherInit_ex(ctx, cipher, engine, key, iv, enc)
type Init = unsafe extern "C" fn(
    Opaque,
    *const c_void,
    *const c_void,
    *const c_uchar,
    *const c_uchar,
    c_int,
) -> c_int;
/// int EVP_CIPHER_CTX_set_padding(ctx, padding)
type SetPadding = unsafe extern "C" fn(Opaque, c_int) -> c_int;
/// int EVP_CipherUpdate(ctx, out, outl, in, inl)
type Update =
    unsafe extern "C" fn(Opaque, *mut c_uchar, *mut c_int, *const c_uchar, c_int) -> c_int;
/// int EVP_CipherFinal_ex(ctx, outm, outl)
type Final = unsafe extern "C" fn(Opaque, *mut c_uchar, *mut c_int) -> c_int;

/// The library.
pub struct OpenSsl {
    /// Under which name it was found.
    pub name: &'static str,
    by_name: ByName,
    new: New,
    free: Free,
    init: Init,
    set_padding: SetPadding,
    update: Update,
    finish: Final,
    /// The functions above live as long as this.
    _library: Library,
}

impl OpenSsl {
    /// The library, if there is one.
    #[must_use]
    pub fn open() -> Option<Self> {
        NAMES.into_iter().find_map(Self::open_as)
    }

    fn open_as(name: &'static str) -> Option<Self> {
        // SAFETY: loading libcrypto runs its initialisers, which any program may, and each symbol
        // is given the type that its manual page declares.
        unsafe {
            let library = Library::new(name).ok()?;
            Some(Self {
                name,
                by_name: *library.get(b"EVP_get_cipherbyname\0").ok()?,
                new: *library.get(b"EVP_CIPHER_CTX_new\0").ok()?,
                free: *library.get(b"EVP_CIPHER_CTX_free\0").ok()?,
                init: *library.get(b"EVP_CipherInit_ex\0").ok()?,
                set_padding: *library.get(b"EVP_CIPHER_CTX_set_padding\0").ok()?,
                update: *library.get(b"EVP_CipherUpdate\0").ok()?,
                finish: *library.get(b"EVP_CipherFinal_ex\0").ok()?,
                _library: library,
            })
        }
    }

    /// What the cipher of this name, such as `aria-128-ctr`, makes of the data, without padding;
    /// `None` if the library does not have it.
    ///
    /// # Panics
    ///
    /// If the library refuses.
    #[must_use]
    pub fn crypt(
        &self,
        cipher: &str,
        key: &[u8],
        iv: [u8; 16],
        direction: Direction,
        data: &[u8],
    ) -> Option<Vec<u8>> {
        let bits: usize = cipher.split('-').nth(1)?.parse().ok()?;
        assert_eq!(key.len() * 8, bits, "the library reads a key as long as the name says");
        let name = CString::new(cipher).ok()?;
        let length = c_int::try_from(data.len()).ok()?;
        let mut output = vec![0; data.len() + 32];
        let (mut written, mut rest) = (0, 0);
        // SAFETY: the name ends with a zero. The context is used between its creation and its
        // release only. Key and IV are as long as the cipher reads, `output` is longer by two
        // blocks than what `update` and `finish` may write, and lengths fit.
        unsafe {
            let cipher = (self.by_name)(name.as_ptr());
            if cipher.is_null() {
                return None;
            }
            let context = (self.new)();
            assert!(!context.is_null(), "no memory");
            let encrypts = c_int::from(direction == Direction::Encrypt);
            let done = (self.init)(context, cipher, null(), key.as_ptr(), iv.as_ptr(), encrypts)
                == 1
                && (self.set_padding)(context, 0) == 1
                && (self.update)(
                    context,
                    output.as_mut_ptr(),
                    &raw mut written,
                    data.as_ptr(),
                    length,
                ) == 1
                && (self.finish)(
                    context,
                    output.as_mut_ptr().add(usize::try_from(written).unwrap_or(0)),
                    &raw mut rest,
                ) == 1;
            (self.free)(context);
            assert!(done, "{} refuses {} bytes", name.to_string_lossy(), data.len());
        }
        output.truncate(usize::try_from(written + rest).ok()?);
        Some(output)
    }
}
