//! What to run and how: the spec of `run` (`contracts/probe-v1.schema.json`, `$defs/spec`).

mod cache;
mod limits;
mod phases;
mod placement;
mod profile;
mod values;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::fields::Fields;
use crate::perf;
use crate::watch;
use assay_nearest::nearest;

pub use cache::{Cache, State};
pub use limits::Limits;
pub use phases::{Mark, Phases, is_name};
pub use placement::{Placement, Start};
pub use profile::{Profile, Scope};
pub use values::names;

/// Folder of named network namespaces, as ip(8) keeps them.
pub const NAMESPACES: &str = "/run/netns";

/// Newest protocol that this probe speaks: (major, minor).
pub const PROTOCOL: [u64; 2] = [1, 4];
/// Oldest minor version whose specs mean the same.
const OLDEST_MINOR: u64 = 1;
/// Of each stream, where a spec says nothing.
const OUTPUT_BYTES: u64 = 256 << 20;
/// Enough for the record and the files of the job's end, where a spec says nothing.
const KEEP_FREE_BYTES: u64 = 64 << 20;

const FIELDS: [&str; 19] = [
    "protocol",
    "command",
    "directory",
    "environment",
    "limits",
    "network_namespace",
    "interval_s",
    "time_limit_s",
    "grace_s",
    "output_limit_bytes",
    "keep_free_bytes",
    "placement",
    "start",
    "process_io",
    "watch",
    "counters",
    "profile",
    "phases",
    "cache",
];

/// A checked spec.
#[derive(Clone, Debug)]
pub struct Spec {
    pub command: Vec<String>,
    pub directory: String,
    pub environment: Vec<(String, String)>,
    pub limits: Limits,
    pub network_namespace: Option<String>,
    pub interval_s: f64,
    pub time_limit_s: Option<f64>,
    pub grace_s: f64,
    /// Of each stream of each copy.
    pub output_limit_bytes: u64,
    /// On the disk of the run's folder; 0 is "not looked at".
    pub keep_free_bytes: u64,
    pub placement: Placement,
    pub start: Start,
    /// Read the I/O of each process at each sample; the totals are exact in any case.
    pub process_io: bool,
    /// Groups of series (`watch::GROUPS`).
    pub watch: Vec<String>,
    pub counters: Vec<String>,
    pub profile: Option<Profile>,
    pub phases: Option<Phases>,
    pub cache: Option<Cache>,
    /// As it was given.
    pub given: Value,
}

/// Reads the text of a spec file.
pub fn parse(bytes: &[u8]) -> Result<Spec> {
    let value = serde_json::from_slice(bytes)
        .map_err(|error| Error::usage(format!("cannot read the spec: it is no JSON: {error}")))?;
    read(value)
}

/// Checks a spec.
pub fn read(given: Value) -> Result<Spec> {
    let fields = Fields::of(&given, "", &FIELDS)?;
    fields.read_needed("protocol", "[1, 1] to [1, 4], which this probe speaks", protocol)?;
    let limits = fields.value("limits").map(limits::read).transpose()?.unwrap_or_default();
    let placement = fields.value("placement").map(|value| placement::read(value, &limits)).transpose()?;
    Ok(Spec {
        command: fields.read_needed("command", "a list of texts, at least the program", values::command)?,
        directory: fields.read_needed("directory", "an absolute path", values::absolute)?,
        environment: fields.read("environment", "an object of texts", values::environment)?.unwrap_or_default(),
        network_namespace: fields.read("network_namespace", "a name under /run/netns", values::file_name)?,
        interval_s: fields.read("interval_s", "seconds from 0.01 to 3600", values::interval)?.unwrap_or(1.0),
        time_limit_s: fields.read("time_limit_s", "seconds above 0", values::above_zero)?,
        grace_s: fields.read("grace_s", "seconds from 0", values::from_zero)?.unwrap_or(5.0),
        output_limit_bytes: fields.read("output_limit_bytes", "bytes above 0", above_none)?.unwrap_or(OUTPUT_BYTES),
        keep_free_bytes: fields.read("keep_free_bytes", "bytes from 0", Value::as_u64)?.unwrap_or(KEEP_FREE_BYTES),
        placement: placement.unwrap_or_default(),
        start: fields.value("start").map(placement::read_start).transpose()?.unwrap_or_default(),
        process_io: fields.read("process_io", "true or false", Value::as_bool)?.unwrap_or(true),
        watch: fields.value("watch").map(groups).transpose()?.unwrap_or_default(),
        counters: fields.read("counters", "a list of texts", values::names)?.map_or(Ok(Vec::new()), counters)?,
        profile: fields.value("profile").map(profile::read).transpose()?,
        phases: fields.value("phases").map(phases::read).transpose()?,
        cache: fields.value("cache").map(cache::read).transpose()?,
        limits,
        given: given.clone(),
    })
}

fn protocol(value: &Value) -> Option<()> {
    let numbers: Option<Vec<u64>> = value.as_array()?.iter().map(Value::as_u64).collect();
    let known = |minor: u64| (OLDEST_MINOR..=PROTOCOL[1]).contains(&minor);
    matches!(numbers?[..], [major, minor] if major == PROTOCOL[0] && known(minor)).then_some(())
}

fn above_none(value: &Value) -> Option<u64> {
    value.as_u64().filter(|bytes| *bytes > 0)
}

fn counters(names: Vec<String>) -> Result<Vec<String>> {
    perf::counters::check(&names)
        .map_err(|cause| Error::usage(format!("cannot read the spec: 'counters': {cause}")))?;
    Ok(names)
}

fn groups(value: &Value) -> Result<Vec<String>> {
    let wrong = || Error::usage(format!("cannot read the spec: 'watch': expected a list of groups, got {value}"));
    let names = values::names(value).ok_or_else(wrong)?;
    match names.iter().find(|name| watch::group(name).is_none()) {
        None => Ok(names),
        Some(name) => {
            let known: Vec<&str> = watch::GROUPS.iter().map(|group| group.name).collect();
            let near = nearest(name, &known).unwrap_or("nothing");
            let known = known.join(", ");
            Err(Error::usage(format!(
                "cannot read the spec: unknown group '{name}' in 'watch', nearest is '{near}' (known: {known})"
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SCHEMA: &str = include_str!("../../../contracts/probe-v1.schema.json");

    fn least() -> Value {
        json!({"protocol": [1, 1], "command": ["true"], "directory": "/tmp"})
    }

    fn with(name: &str, value: Value) -> Result<Spec> {
        let mut spec = least();
        spec[name] = value;
        read(spec)
    }

    #[test]
    fn the_least_spec_gets_defaults() {
        let spec = read(least()).expect("a good spec");
        assert_eq!((spec.interval_s, spec.grace_s, spec.time_limit_s), (1.0, 5.0, None));
        assert_eq!((spec.output_limit_bytes, spec.keep_free_bytes), (256 << 20, 64 << 20));
        assert_eq!(spec.limits, Limits::default());
    }

    #[test]
    fn an_unknown_field_names_the_nearest() {
        let error = with("time_limit", json!(3)).expect_err("unknown field").message;
        assert!(error.contains("'time_limit'") && error.contains("'time_limit_s'"), "{error}");
        let error = with("limits", json!({"cpu": [1]})).expect_err("unknown field").message;
        assert!(error.contains("'limits.cpu'") && error.contains("'cpus'"), "{error}");
    }

    #[test]
    fn wrong_values_are_refused_by_name() {
        let wrong = [
            ("protocol", json!([2, 0])),
            ("protocol", json!([1, 0])),
            ("protocol", json!([1, 5])),
            ("command", json!([])),
            ("command", json!(["a", 1])),
            ("directory", json!("here")),
            ("environment", json!({"A=B": "c"})),
            ("network_namespace", json!("../x")),
            ("interval_s", json!(0)),
            ("time_limit_s", json!(-1)),
            ("grace_s", json!("5")),
            ("output_limit_bytes", json!(0)),
            ("keep_free_bytes", json!(-1)),
            ("process_io", json!(1)),
            ("counters", json!("cycles")),
        ];
        for (name, value) in wrong {
            let error = with(name, value).expect_err(name);
            assert_eq!(error.code, crate::error::USAGE);
            assert!(error.message.contains(&format!("'{name}'")), "{}", error.message);
        }
        for limits in [
            json!({"cpu_quota": 1.5}),
            json!({"memory_bytes": 0}),
            json!({"cpus": [-1]}),
            json!({"read_bytes_per_s": 0}),
            json!({"write_bytes_per_s": 1.5}),
            json!({"disks": ["loop0"]}),
            json!({"pause": 0.95}),
        ] {
            assert!(with("limits", limits).is_err());
        }
    }

    #[test]
    fn an_unknown_group_names_the_nearest() {
        let error = with("watch", json!(["presure"])).expect_err("unknown group").message;
        assert!(error.contains("'pressure'"), "{error}");
    }

    #[test]
    fn a_missing_field_is_named() {
        let error = read(json!({"protocol": [1, 1], "command": ["true"]})).expect_err("no directory");
        assert!(error.message.contains("'directory' is missing"), "{}", error.message);
    }

    #[test]
    fn the_schema_knows_the_same_fields() {
        let schema: Value = serde_json::from_str(SCHEMA).expect("the schema");
        let names = |value: &Value| {
            let mut names: Vec<String> =
                value["properties"].as_object().expect("properties").keys().cloned().collect();
            names.sort();
            names
        };
        let sorted = |fields: &[&str]| {
            let mut fields: Vec<String> = fields.iter().map(|name| (*name).to_owned()).collect();
            fields.sort();
            fields
        };
        let spec = &schema["$defs"]["spec"];
        assert_eq!(names(spec), sorted(&FIELDS));
        assert_eq!(names(&spec["properties"]["limits"]), sorted(&limits::FIELDS));
        assert_eq!(names(&schema["$defs"]["placement"]), sorted(&placement::FIELDS));
        assert_eq!(names(&schema["$defs"]["start"]), sorted(&placement::START));
        assert_eq!(names(&schema["$defs"]["profile"]), sorted(&profile::FIELDS));
        assert_eq!(names(&schema["$defs"]["phases"]), sorted(&phases::FIELDS));
        assert_eq!(names(&schema["$defs"]["cache"]), sorted(&cache::FIELDS));
    }
}
