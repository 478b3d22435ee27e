//! Which hypervisor a machine runs on, by what the processor, the firmware and the kernel say.
//!
//! Source: Linux `arch/x86/kernel/cpu/hypervisor.c` and the drivers that it lists; systemd-detect-virt(1).

/// Signatures of CPUID leaf 0x4000_0000.
const SIGNATURES: [(&str, &str); 10] = [
    ("KVMKVMKVM", "kvm"),
    ("Linux KVM Hv", "kvm"),
    ("TCGTCGTCGTCG", "qemu-tcg"),
    ("XenVMMXenVMM", "xen"),
    ("VMwareVMware", "vmware"),
    ("Microsoft Hv", "hyper-v"),
    ("VBoxVBoxVBox", "virtualbox"),
    ("bhyve bhyve", "bhyve"),
    ("ACRNACRNACRN", "acrn"),
    ("SRESRESRESRE", "lockheed-sre"),
];
/// Beginnings of the firmware's vendor or product.
const FIRMWARES: [(&str, &str); 10] = [
    ("QEMU", "qemu"),
    ("KVM", "kvm"),
    ("OpenStack", "kvm"),
    ("Amazon EC2", "amazon-ec2"),
    ("Google", "google"),
    ("VMware", "vmware"),
    ("innotek GmbH", "virtualbox"),
    ("VirtualBox", "virtualbox"),
    ("Xen", "xen"),
    ("BHYVE", "bhyve"),
];
/// `KVM_FEATURE_STEAL_TIME` of `Documentation/virt/kvm/x86/cpuid.rst`.
const STEAL_TIME: u32 = 1 << 5;

/// What the processor says: a signature and, for KVM, its features.
#[derive(Debug, PartialEq, Eq)]
pub struct Face {
    pub signature: String,
    pub features: u32,
}

/// Text of a face: the signature, a tab, the features in hexadecimal.
pub fn format(signature: &[u8], features: u32) -> String {
    let text: String =
        signature.iter().filter(|byte| byte.is_ascii_graphic() || **byte == b' ').map(|b| char::from(*b)).collect();
    format!("{}\t{features:08x}", text.trim())
}

/// Reads what `format` wrote.
pub fn parse(text: &str) -> Option<Face> {
    let (signature, features) = text.trim().split_once('\t')?;
    Some(Face { signature: signature.to_owned(), features: u32::from_str_radix(features, 16).ok()? })
}

/// Name of a signature that we know.
pub fn of_signature(signature: &str) -> Option<&'static str> {
    SIGNATURES.iter().find_map(|(known, name)| (*known == signature).then_some(*name))
}

/// Name of the hypervisor whose firmware says this.
pub fn of_firmware(text: &str) -> Option<&'static str> {
    FIRMWARES.iter().find_map(|(known, name)| text.starts_with(known).then_some(*name))
}

/// Whether the hypervisor tells stolen time; `None` where only KVM's own list could say it.
pub fn tells_steal(face: &Face) -> Option<bool> {
    (of_signature(&face.signature)? == "kvm").then_some(face.features & STEAL_TIME != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_reads_back_and_has_a_name() {
        let face = parse(&format(b"KVMKVMKVM\0\0\0", 0x0100_7efb)).expect("a face");
        assert_eq!((of_signature(&face.signature), tells_steal(&face)), (Some("kvm"), Some(true)));
        assert_eq!(parse("no tab"), None);
    }

    #[test]
    fn steal_is_unknown_for_all_but_kvm() {
        let face = parse(&format(b"TCGTCGTCGTCG", 0)).expect("a face");
        assert_eq!((of_signature(&face.signature), tells_steal(&face)), (Some("qemu-tcg"), None));
        assert_eq!(of_signature("something new"), None);
    }

    #[test]
    fn firmware_of_metal_names_no_hypervisor() {
        assert_eq!(of_firmware("Dell Inc."), None);
        assert_eq!(of_firmware("VMware, Inc."), Some("vmware"));
    }

    #[test]
    fn steal_is_told_where_its_bit_is_set() {
        let face = |features| Face { signature: "KVMKVMKVM".to_owned(), features };
        assert_eq!(
            (tells_steal(&face(1 << 5)), tells_steal(&face(!(1 << 5))), tells_steal(&face(0))),
            (Some(true), Some(false), Some(false))
        );
    }
}
