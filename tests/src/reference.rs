//! The modes of operation as their documents define them: slow, plain, a block at a time, over any
//! function of a block. Nothing of ours is used.
//!
//! NIST SP 800-38A with its addendum, SP 800-38B, SP 800-38F, IEEE 1619, RFC 5652. Lengths are for
//! the caller to keep right.

/// A block cipher under a key, as two functions.
pub struct Cipher<'a> {
    /// Encrypts a block.
    pub encrypt: &'a dyn Fn([u8; 16]) -> [u8; 16],
    /// Decrypts a block.
    pub decrypt: &'a dyn Fn([u8; 16]) -> [u8; 16],
}

fn xor(a: [u8; 16], b: &[u8]) -> [u8; 16] {
    let mut sum = a;
    for (to, from) in sum.iter_mut().zip(b) {
        *to ^= from;
    }
    sum
}

/// The first bytes of a block, or a block of them and zeros.
fn block(bytes: &[u8]) -> [u8; 16] {
    xor([0; 16], bytes)
}

impl Cipher<'_> {
    /// CTR whose last `counter_bytes` bytes count.
    #[must_use]
    pub fn ctr(&self, iv: [u8; 16], counter_bytes: usize, data: &[u8]) -> Vec<u8> {
        let mut counter = iv;
        let mut output = Vec::new();
        for piece in data.chunks(16) {
            output.extend(&xor((self.encrypt)(counter), piece)[..piece.len()]);
            for byte in counter[16 - counter_bytes..].iter_mut().rev() {
                *byte = byte.wrapping_add(1);
                if *byte != 0 {
                    break;
                }
            }
        }
        output
    }

    /// CBC of whole blocks.
    #[must_use]
    pub fn cbc_encrypt(&self, iv: [u8; 16], data: &[u8]) -> Vec<u8> {
        let mut chain = iv;
        let mut output = Vec::new();
        for piece in data.chunks(16) {
            chain = (self.encrypt)(xor(chain, piece));
            output.extend(chain);
        }
        output
    }

    /// CFB with segments of so many bytes; the last may be shorter.
    #[must_use]
    pub fn cfb_encrypt(&self, iv: [u8; 16], segment: usize, data: &[u8]) -> Vec<u8> {
        let mut window = iv.to_vec();
        let mut output = Vec::new();
        for piece in data.chunks(segment) {
            let keystream = (self.encrypt)(block(&window));
            let ciphertext = &xor(keystream, piece)[..piece.len()];
            output.extend(ciphertext);
            window.extend(ciphertext);
            window.drain(..ciphertext.len());
        }
        output
    }

    /// OFB.
    #[must_use]
    pub fn ofb(&self, iv: [u8; 16], data: &[u8]) -> Vec<u8> {
        let mut chain = iv;
        let mut output = Vec::new();
        for piece in data.chunks(16) {
            chain = (self.encrypt)(chain);
            output.extend(&xor(chain, piece)[..piece.len()]);
        }
        output
    }

    /// CBC-CS1, CS2 or CS3, by its number.
    #[must_use]
    pub fn cts_encrypt(&self, iv: [u8; 16], variant: u8, data: &[u8]) -> Vec<u8> {
        let last = (data.len() - 1) % 16 + 1;
        let mut padded = data.to_vec();
        padded.resize(data.len().next_multiple_of(16), 0);
        let cbc = self.cbc_encrypt(iv, &padded);
        if data.len() <= 16 {
            return cbc;
        }
        let (before, end) = cbc.split_at(cbc.len() - 32);
        let (stolen_from, whole) = (&end[..last], &end[16..]);
        match variant {
            3 => [before, whole, stolen_from].concat(),
            2 if last < 16 => [before, whole, stolen_from].concat(),
            _ => [before, stolen_from, whole].concat(),
        }
    }

    /// A unit of XTS; `tweaks` is the cipher under the second key.
    #[must_use]
    pub fn xts_encrypt(&self, tweaks: &Cipher<'_>, unit: u128, data: &[u8]) -> Vec<u8> {
        let mut tweak = (tweaks.encrypt)(unit.to_le_bytes());
        let mut output: Vec<u8> = Vec::new();
        for piece in data.chunks(16) {
            if piece.len() == 16 {
                output.extend(xor((self.encrypt)(xor(tweak, piece)), &tweak));
            } else {
                let previous = output.split_off(output.len() - 16);
                let stolen = [piece, &previous[piece.len()..]].concat();
                output.extend(xor((self.encrypt)(xor(tweak, &stolen)), &tweak));
                output.extend(&previous[..piece.len()]);
            }
            tweak = double_little_endian(tweak);
        }
        output
    }

    /// CMAC.
    #[must_use]
    pub fn cmac(&self, data: &[u8]) -> [u8; 16] {
        let k1 = double_big_endian((self.encrypt)([0; 16]));
        let before = data.len().saturating_sub(1) / 16 * 16;
        let (before, last) = data.split_at(before);
        let mut chain = [0; 16];
        for piece in before.chunks(16) {
            chain = (self.encrypt)(xor(chain, piece));
        }
        let last = match last.len() {
            16 => xor(k1, last),
            _ => xor(double_big_endian(k1), &[last, &[0x80]].concat()),
        };
        (self.encrypt)(xor(chain, &last))
    }

    /// The wrapping function W of SP 800-38F, on semiblocks of which the first is the check value.
    #[must_use]
    pub fn w(&self, data: &[u8]) -> Vec<u8> {
        let mut semiblocks: Vec<[u8; 8]> = data.as_chunks().0.to_vec();
        for step in 1..=6 * (semiblocks.len() as u64 - 1) {
            let image = (self.encrypt)(block(&[semiblocks[0], semiblocks[1]].concat()));
            let (a, b) = image.split_at(8);
            let counted = u64::from_be_bytes(a.try_into().expect("half a block")) ^ step;
            semiblocks[0] = counted.to_be_bytes();
            semiblocks[1].copy_from_slice(b);
            semiblocks[1..].rotate_left(1);
        }
        semiblocks.concat()
    }
}

/// Times x, bit by bit: bit i of the polynomial is bit i mod 8 of byte i div 8 (IEEE 1619, 5.2).
fn double_little_endian(tweak: [u8; 16]) -> [u8; 16] {
    let bit = |i: usize| tweak[i / 8] >> (i % 8) & 1;
    let mut product = [0; 16];
    for i in 1..128 {
        product[i / 8] |= bit(i - 1) << (i % 8);
    }
    if bit(127) == 1 {
        product[0] ^= 0x87;
    }
    product
}

/// Times x, where the first bit is the highest (SP 800-38B, 5.3).
fn double_big_endian(value: [u8; 16]) -> [u8; 16] {
    let mut reversed = value;
    reversed.reverse();
    let mut product = double_little_endian(reversed);
    product.reverse();
    product
}

/// PKCS#7.
#[must_use]
pub fn pad(data: &[u8]) -> Vec<u8> {
    let missing = 16 - data.len() % 16;
    [data, &vec![u8::try_from(missing).expect("at most 16"); missing]].concat()
}
