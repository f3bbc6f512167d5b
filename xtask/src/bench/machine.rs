//! Which CPU this is, in the words of Linux's /proc/cpuinfo. Which of its features may be used is
//! not asked here.

/// A micro-architecture on which something is said in cycles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Microarchitecture {
    /// AMD's of 2022: Ryzen 7000, EPYC 9004.
    Zen4,
}

impl Microarchitecture {
    /// As AMD writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Zen4 => "Zen 4",
        }
    }
}

/// A CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Its micro-architecture, if that is one of those that matter.
    pub microarchitecture: Option<Microarchitecture>,
}

impl Machine {
    /// The first CPU of /proc/cpuinfo's text.
    #[must_use]
    pub fn of_cpuinfo(text: &str) -> Self {
        let field = |name: &str| {
            let mut fields = text.lines().filter_map(|line| line.split_once(':'));
            fields.find(|(key, _)| key.trim() == name).map(|(_, value)| value.trim())
        };
        let number = |name: &str| field(name).and_then(|value| value.parse::<u32>().ok());
        // Family 19h is Zen 3 and Zen 4; the models are those that Linux takes for Zen 4
        // (arch/x86/kernel/cpu/amd.c).
        let microarchitecture = match (field("vendor_id"), number("cpu family"), number("model")) {
            (Some("AuthenticAMD"), Some(0x19), Some(0x10..=0x1f | 0x60..=0xaf)) => {
                Some(Microarchitecture::Zen4)
            }
            _ => None,
        };
        let name = field("model name").unwrap_or("unknown CPU").to_owned();
        Self { name, microarchitecture }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpuinfo(vendor: &str, family: u32, model: u32, name: &str) -> String {
        format!(
            "processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\n\
             model name\t: {name}\n\nprocessor\t: 1\nmodel\t\t: 1\n"
        )
    }

    #[test]
    fn zen_4_is_told_from_its_neighbours() {
        let of = |vendor, family, model| {
            Machine::of_cpuinfo(&cpuinfo(vendor, family, model, "a CPU")).microarchitecture
        };
        assert_eq!(of("AuthenticAMD", 0x19, 0x11), Some(Microarchitecture::Zen4));
        assert_eq!(of("AuthenticAMD", 0x19, 0x61), Some(Microarchitecture::Zen4));
        assert_eq!(of("AuthenticAMD", 0x19, 0x21), None, "Zen 3");
        assert_eq!(of("AuthenticAMD", 0x1a, 0x11), None, "Zen 5");
        assert_eq!(of("GenuineIntel", 0x19, 0x11), None);
    }

    #[test]
    fn a_cpu_without_a_name_is_unknown() {
        assert_eq!(Machine::of_cpuinfo("").name, "unknown CPU");
        let text = cpuinfo("AuthenticAMD", 25, 17, "AMD EPYC 9654 96-Core Processor");
        assert_eq!(Machine::of_cpuinfo(&text).name, "AMD EPYC 9654 96-Core Processor");
    }
}
