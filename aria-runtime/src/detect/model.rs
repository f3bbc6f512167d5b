//! What a CPU calls itself, for tables of what things cost on it. Nothing that decides whether code
//! may run is read from this.
//!
//! Intel SDM, vol. 2, CPUID, leaves 0 and 1 (figure 3-6); AMD's manual (vol. 3, appendix E) reads the
//! same fields.

/// A CPU's vendor, family and model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) vendor: Vendor,
    /// The displayed family: with the extended one added, where that counts.
    pub(crate) family: u16,
    /// The displayed model: with the extended one before it, where that counts.
    pub(crate) model: u8,
}

/// Who made a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vendor {
    Intel,
    Amd,
}

impl Vendor {
    /// EBX, EDX and ECX of leaf 0.
    fn named(name: [u8; 12]) -> Option<Self> {
        match &name {
            b"GenuineIntel" => Some(Self::Intel),
            b"AuthenticAMD" => Some(Self::Amd),
            _ => None,
        }
    }
}

impl Model {
    /// From the vendor's name, twelve letters, and EAX of leaf 1; none of vendors not known here.
    pub(crate) fn from_leaves(name: [u8; 12], signature: u32) -> Option<Self> {
        let field = |from: u32, bits: u32| (signature >> from & ((1 << bits) - 1)) as u8;
        let vendor = Vendor::named(name)?;
        let base = field(8, 4);
        let family = u16::from(base) + if base == 0xf { u16::from(field(20, 8)) } else { 0 };
        let extended = base == 0xf || (base == 6 && vendor == Vendor::Intel);
        let model = field(4, 4) | if extended { field(16, 4) << 4 } else { 0 };
        Some(Self { vendor, family, model })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signatures as these CPUs report them.
    #[test]
    fn known_signatures() {
        for (name, signature, vendor, family, model) in [
            (b"GenuineIntel", 0x000c_06f2, Vendor::Intel, 0x06, 0xcf), // Emerald Rapids
            (b"GenuineIntel", 0x0008_06f8, Vendor::Intel, 0x06, 0x8f), // Sapphire Rapids
            (b"GenuineIntel", 0x0000_0f43, Vendor::Intel, 0x0f, 0x04), // Prescott
            (b"AuthenticAMD", 0x00a1_0f11, Vendor::Amd, 0x19, 0x11),   // Genoa
            (b"AuthenticAMD", 0x0080_0f11, Vendor::Amd, 0x17, 0x01),   // Naples
        ] {
            let expected = Model { vendor, family, model };
            assert_eq!(Model::from_leaves(*name, signature), Some(expected));
        }
        assert_eq!(Model::from_leaves(*b"KVMKVMKVM\0\0\0", 0x000c_06f2), None);
        assert_eq!(Model::from_leaves([0; 12], 0), None);
    }
}
