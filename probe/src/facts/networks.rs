//! Network interfaces but the loopback; no addresses.
//!
//! Source: Linux `Documentation/ABI/testing/sysfs-class-net`. Limits: a link that is down or virtual tells no speed.

use serde_json::{Value, json};

use super::table::{As, Row, gather, read};
use crate::read::Root;

const ROWS: [Row; 4] = [
    ("mtu_bytes", As::Number, "mtu"),
    ("state", As::Text, "operstate"),
    ("duplex", As::Text, "duplex"),
    ("send_queue_packets", As::Number, "tx_queue_len"),
];

pub fn facts(root: &Root) -> Value {
    let names = root.names("/sys/class/net").into_iter().filter(|name| name != "lo" && name != "bonding_masters");
    let interfaces = gather(&mut names.map(|name| (name.clone(), interface(root, &name))));
    if interfaces.is_empty() { Value::Null } else { Value::Object(interfaces) }
}

fn interface(root: &Root, name: &str) -> Value {
    let folder = format!("/sys/class/net/{name}");
    let mut facts = read(root, &folder, &ROWS);
    let speed =
        root.word(format!("{folder}/speed")).and_then(|text| text.parse::<i64>().ok()).filter(|speed| *speed > 0);
    facts.insert("speed_mbit_per_s".to_owned(), json!(speed));
    facts.insert("driver".to_owned(), json!(root.link(format!("{folder}/device/driver"))));
    Value::Object(facts)
}
