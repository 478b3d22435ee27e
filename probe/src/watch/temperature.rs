//! Temperatures that the machine's sensors tell now.
//!
//! Source: Linux Documentation/hwmon/sysfs-interface.rst (`tempN_input`, m°C), Documentation/driver-api/thermal/
//! sysfs-api.rst (`temp`, m°C). Limits: a sensor may be told twice, by both; some are read over a slow bus, which takes
//! milliseconds; a guest has none.

use crate::read::{Kept, Root};

use super::{Collector, Group, Rows, Surroundings, View};

pub const GROUP: Group = Group { name: "temperature", columns: &["device", "name", "sensor", "temperature_c"], open };

struct Sensor {
    /// `hwmon0`, `thermal_zone1`.
    device: String,
    /// What its driver calls it.
    name: String,
    /// Which of its sensors.
    sensor: String,
    kept: Kept,
}

struct Temperature(Vec<Sensor>);

fn open(around: &Surroundings) -> Result<Box<dyn Collector>, String> {
    let mut sensors = hwmon(around.root);
    sensors.extend(zones(around.root));
    if sensors.is_empty() {
        Err("no sensor under /sys/class/hwmon or /sys/class/thermal".to_owned())
    } else {
        Ok(Box::new(Temperature(sensors)))
    }
}

fn hwmon(root: &Root) -> Vec<Sensor> {
    let mut sensors = Vec::new();
    for device in root.names("/sys/class/hwmon") {
        let folder = format!("/sys/class/hwmon/{device}");
        let name = root.word(format!("{folder}/name")).unwrap_or_default();
        for file in root.names(&folder) {
            let Some(sensor) = file.strip_suffix("_input").filter(|sensor| sensor.starts_with("temp")) else {
                continue;
            };
            let Ok(kept) = root.keep(format!("{folder}/{file}")) else { continue };
            let sensor = root.word(format!("{folder}/{sensor}_label")).unwrap_or_else(|| sensor.to_owned());
            sensors.push(Sensor { device: device.clone(), name: name.clone(), sensor, kept });
        }
    }
    sensors
}

fn zones(root: &Root) -> Vec<Sensor> {
    let zones = root.names("/sys/class/thermal").into_iter().filter(|name| name.starts_with("thermal_zone"));
    let zone = |device: String| {
        let kept = root.keep(format!("/sys/class/thermal/{device}/temp")).ok()?;
        let name = root.word(format!("/sys/class/thermal/{device}/type")).unwrap_or_default();
        Some(Sensor { device, name, sensor: "temp".to_owned(), kept })
    };
    zones.filter_map(zone).collect()
}

impl Collector for Temperature {
    fn collect(&mut self, view: &View, rows: &mut Rows) {
        for sensor in &mut self.0 {
            let millis: Option<i64> = sensor.kept.text().and_then(|text| text.trim().parse().ok());
            let row = rows.row(view.now).name(&sensor.device).name(&sensor.name).name(&sensor.sensor);
            row.cell(millis.map(|millis| millis as f64 / 1e3));
        }
    }
}
