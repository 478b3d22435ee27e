//! `/proc/kallsyms`.
//!
//! Source: Linux kernel/kallsyms.c; kernel.kptr_restrict in sysctl/kernel.rst: all addresses are 0 for those who may
//! not see them.

use crate::arrange;

/// Functions of the kernel and its modules by address.
#[derive(Debug, Default)]
pub struct Kernel {
    text: String,
    /// Address, and where its name lies in the text.
    names: Vec<(u64, usize)>,
}

impl Kernel {
    pub fn parse(text: String) -> Self {
        let mut names = Vec::new();
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            if let Some((address, into)) = function(line) {
                names.push((address, at + into));
            }
            at += line.len();
        }
        arrange::sort(&mut names);
        Self { text, names }
    }

    /// The function that holds an address; `None` where the kernel shows none.
    pub fn at(&self, address: u64) -> Option<&str> {
        let after = self.names.partition_point(|(start, _)| *start <= address);
        let start = self.names.get(after.checked_sub(1)?)?.0;
        let first = self.names.partition_point(|(other, _)| *other < start);
        self.text[self.names[first].1..].split(['\t', ' ', '\n']).next()
    }
}

/// Address and place of the name in its line.
fn function(line: &str) -> Option<(u64, usize)> {
    let mut words = line.split(' ');
    let (address, kind, name) = (words.next()?, words.next()?, words.next()?);
    let number = u64::from_str_radix(address, 16).ok()?;
    let code = matches!(kind, "t" | "T" | "w" | "W");
    (code && number > 0 && !name.is_empty()).then_some((number, address.len() + kind.len() + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
ffffffff81000000 T _stext
ffffffff81000000 T _text
ffffffff81000100 t do_one
ffffffff82000000 D a_variable
ffffffffc0000000 t ext4_write\t[ext4]
";

    #[test]
    fn an_address_belongs_to_the_function_before_it() {
        let kernel = Kernel::parse(TEXT.to_owned());
        assert_eq!(kernel.at(0xffff_ffff_8100_0005), Some("_stext"));
        assert_eq!(kernel.at(0xffff_ffff_8100_0100), Some("do_one"));
        assert_eq!(kernel.at(0xffff_ffff_c000_0010), Some("ext4_write"));
        assert_eq!(kernel.at(0x1000), None);
    }

    #[test]
    fn a_kernel_that_hides_its_addresses_has_no_functions() {
        let kernel = Kernel::parse("0000000000000000 T _stext\n0000000000000000 t x\n".to_owned());
        assert_eq!(kernel.at(0xffff_ffff_8100_0005), None);
        assert_eq!(Kernel::parse("\nnonsense\n".to_owned()).at(5), None);
    }
}
