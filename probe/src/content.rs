//! A folder, packed into one answer: for a controller to which each request is a way of its own.
//!
//! Source: RFC 1950 (zlib), RFC 4648 section 4 (base64).

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use miniz_oxide::deflate::compress_to_vec_zlib;
use serde_json::{Value, json};

use crate::error::{Error, Result};

const MOST_DEPTH: usize = 32;
const MOST_ENTRIES: usize = 1000;
/// Of 1 to 9: series of samples come down to a fifth with it, in 10 ms a MB.
const LEVEL: u8 = 3;

/// The files and folders below a folder, each after the one that it lies in, and the files' bytes one after the other;
/// `packed` is null where they are more than `most_bytes`, too many, too deep, or named in another encoding than UTF-8.
///
/// Links, sockets, pipes and devices are left out.
pub fn content(path: &str, most_bytes: u64) -> Result<Value> {
    let mut found = Found { most: usize::try_from(most_bytes).unwrap_or(usize::MAX), entries: vec![], bytes: vec![] };
    let fits = found.folder(Path::new(path), &PathBuf::new(), 0);
    let fits = fits.map_err(|error| Error::io(format!("read {path}"), &error))?.is_some();
    let packed = fits.then(|| base64(&compress_to_vec_zlib(&found.bytes, LEVEL)));
    Ok(json!({"packed": packed, "entries": if fits { found.entries } else { vec![] }}))
}

struct Found {
    most: usize,
    entries: Vec<Value>,
    bytes: Vec<u8>,
}

impl Found {
    /// `None` where it is too much, or cannot be told.
    fn folder(&mut self, folder: &Path, place: &Path, depth: usize) -> io::Result<Option<()>> {
        if depth >= MOST_DEPTH {
            return Ok(None);
        }
        let mut entries: Vec<_> = fs::read_dir(folder)?.collect::<io::Result<_>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let (path, place) = (entry.path(), place.join(entry.file_name()));
            let seen = path.symlink_metadata()?;
            let (Some(name), true) = (place.to_str(), self.entries.len() < MOST_ENTRIES) else { return Ok(None) };
            let mode = seen.mode() & 0o777;
            if seen.is_dir() {
                self.entries.push(json!({"path": name, "mode": mode, "bytes": null}));
                if self.folder(&path, &place, depth + 1)?.is_none() {
                    return Ok(None);
                }
            } else if seen.is_file() {
                let before = self.bytes.len();
                let left = (self.most - before) as u64;
                File::open(&path)?.take(left.saturating_add(1)).read_to_end(&mut self.bytes)?;
                if self.bytes.len() > self.most {
                    return Ok(None);
                }
                self.entries.push(json!({"path": name, "mode": mode, "bytes": self.bytes.len() - before}));
            }
        }
        Ok(Some(()))
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let word = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..4 {
            let value = word >> (18 - 6 * digit) & 63;
            text.push(if digit <= three.len() { DIGITS[value as usize] as char } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use miniz_oxide::inflate::decompress_to_vec_zlib;

    use super::*;

    fn told(name: &str, most_bytes: u64) -> Value {
        let folder = std::env::temp_dir().join(format!("assay-content-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("below")).expect("made");
        fs::write(folder.join("a"), "ä\n").expect("written");
        fs::write(folder.join("below/b"), [0xff, 0]).expect("written");
        symlink("/etc/passwd", folder.join("link")).expect("linked");
        let told = content(&folder.display().to_string(), most_bytes);
        fs::remove_dir_all(&folder).expect("removed");
        told.expect("read")
    }

    #[test]
    fn files_and_folders_are_told_and_links_are_not() {
        let told = told("all", 5);
        let entries = told["entries"].as_array().expect("a list");
        let seen: Vec<_> = entries.iter().map(|entry| (entry["path"].as_str(), entry["bytes"].as_u64())).collect();
        assert_eq!(seen, [(Some("a"), Some(3)), (Some("below"), None), (Some("below/b"), Some(2))]);
        assert!(told["packed"].as_str().is_some_and(|packed| packed.starts_with("eA") || packed.starts_with("eF")));
    }

    #[test]
    fn a_folder_of_more_than_the_limit_is_not_told() {
        assert_eq!(told("limit", 4), json!({"packed": null, "entries": []}));
    }

    #[test]
    fn an_absent_folder_is_named() {
        let error = content("/no/such", 1).expect_err("absent");
        assert_eq!(error.message, "cannot read /no/such: no such file or directory");
    }

    #[test]
    fn base64_is_that_of_the_rfc() {
        let known = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (plain, coded) in known {
            assert_eq!(base64(plain.as_bytes()), coded);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }

    #[test]
    fn what_is_packed_is_unpacked_again() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|at| (at.wrapping_mul(at) >> 3) as u8).collect();
        assert_eq!(decompress_to_vec_zlib(&compress_to_vec_zlib(&bytes, LEVEL)).expect("unpacked"), bytes);
    }
}
