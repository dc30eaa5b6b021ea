//! Numbers with their units: what a claim must share with its source to the letter.

use crate::text;

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dimension {
    /// Lengths and distances.
    Length,
    /// Speeds.
    Speed,
    /// Accelerations.
    Acceleration,
    /// Angles.
    Angle,
    /// Angular rates.
    AngularRate,
    /// Durations.
    Time,
    /// Shares.
    Percent,
    /// Frequencies and rates.
    Frequency,
    /// Powers.
    Power,
    /// Energies.
    Energy,
    /// Forces.
    Force,
    /// Torques.
    Torque,
    /// Stiffnesses: force an angle or a length.
    Stiffness,
    /// Pressures.
    Pressure,
    /// Temperatures.
    Temperature,
    /// Masses.
    Mass,
    /// Voltages, currents, resistances, capacitances.
    Electric,
    /// Levels.
    Level,
    /// Amounts of data.
    Data,
}

/// A number as written, with its unit if it has one.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quantity {
    /// The number: sign and digits, thousands separators and trailing zeros of the fraction dropped.
    pub value: String,
    /// The unit in its usual symbol; `None` for a bare number.
    pub unit: Option<&'static str>,
}

impl Quantity {
    /// What it measures, if the unit says so.
    pub fn dimension(&self) -> Option<Dimension> {
        UNITS.iter().find(|unit| Some(unit.1) == self.unit).map(|unit| unit.2)
    }

    /// Whether it says the same: the same digits, and the same unit where both have one. The sign is left out, since a
    /// range (`2-5 mm`) and a fall (`by -3 %`) are written with and without it.
    pub fn agrees(&self, other: &Self) -> bool {
        let same_unit = self.unit.is_none() || other.unit.is_none() || self.unit == other.unit;
        self.value.trim_start_matches('-') == other.value.trim_start_matches('-') && same_unit
    }
}

/// The quantities of a text, in order. Digits inside a name (`XR-7741`, `B2`, `v1.2`) are not quantities.
pub fn quantities(text: &str) -> Vec<Quantity> {
    let text = text::unify(text);
    let mut found: Vec<Quantity> = Vec::new();
    let mut rest = text.as_str();
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        if c.is_ascii_digit() && !before.is_alphabetic() && before != '_' {
            let (value, taken) = number(rest);
            let negative = is_minus(&text, text.len() - rest.len());
            rest = &rest[taken..];
            let unit = unit(rest);
            found.push(Quantity { value: if negative { format!("-{value}") } else { value }, unit });
            before = '0';
        } else if c.is_alphabetic() {
            let word = name_length(rest);
            rest = &rest[word..];
            before = 'a';
        } else {
            rest = &rest[c.len_utf8()..];
            before = c;
        }
    }
    found
}

/// Length of a word with the digits, dots and hyphens that are part of its name.
fn name_length(text: &str) -> usize {
    let letters = text.find(|c: char| !c.is_alphabetic()).unwrap_or(text.len());
    let tail = &text[letters..];
    // `XR-7741` is a name, `below-5` is not common enough to matter; `by-2` neither. Only capitals make a name.
    let named = text[..letters].chars().all(char::is_uppercase) && letters > 1;
    let joined = tail.starts_with(|c: char| c.is_ascii_digit())
        || (named && tail.starts_with('-') && tail[1..].starts_with(|c: char| c.is_ascii_digit()));
    if !joined {
        return letters;
    }
    let end = tail.find(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '-')).unwrap_or(tail.len());
    letters + tail[..end].trim_end_matches(['.', '-']).len()
}

/// Whether the character before `at` is a sign: a hyphen after a space, a bracket, a bar or at the start.
fn is_minus(text: &str, at: usize) -> bool {
    let mut before = text[..at].chars().rev();
    before.next() == Some('-') && before.next().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | '|' | '='))
}

/// The number at the start of a text, and how many bytes it takes.
fn number(text: &str) -> (String, usize) {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut value = String::new();
    let mut at = 0;
    let mut fraction = false;
    loop {
        match bytes.get(at) {
            Some(byte) if byte.is_ascii_digit() => value.push(char::from(*byte)),
            Some(b'.') if !fraction && digit(at + 1) => {
                fraction = true;
                value.push('.');
            }
            Some(b',') if !fraction && is_thousand(bytes, at) => {}
            _ => break,
        }
        at += 1;
    }
    if fraction {
        value.truncate(value.trim_end_matches('0').trim_end_matches('.').len());
    }
    let plain = value.trim_start_matches('0');
    let value = match plain.chars().next() {
        Some(first) if first.is_ascii_digit() => plain.to_owned(),
        _ => format!("0{plain}"),
    };
    (value, at)
}

/// A comma before exactly three digits.
fn is_thousand(bytes: &[u8], comma: usize) -> bool {
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    (1..=3).all(|ahead| digit(comma + ahead)) && !digit(comma + 4)
}

/// The unit right after a number: the longest entry of [`UNITS`] that ends where the word ends.
fn unit(rest: &str) -> Option<&'static str> {
    let rest = rest.strip_prefix(' ').or_else(|| rest.strip_prefix('-')).unwrap_or(rest);
    UNITS
        .iter()
        .filter(|(written, ..)| {
            let ends = |tail: &str| !tail.starts_with(|c: char| c.is_alphanumeric() || c == '/');
            rest.strip_prefix(written).is_some_and(ends)
        })
        .max_by_key(|(written, ..)| written.len())
        .map(|(_, symbol, _)| *symbol)
}

/// As written (unified: no superscripts, μ for the micro sign), usual symbol, what it measures.
const UNITS: &[(&str, &str, Dimension)] = &[
    ("nm", "nm", Dimension::Length),
    ("μm", "μm", Dimension::Length),
    ("mm", "mm", Dimension::Length),
    ("millimetres", "mm", Dimension::Length),
    ("millimetre", "mm", Dimension::Length),
    ("millimeters", "mm", Dimension::Length),
    ("cm", "cm", Dimension::Length),
    ("m", "m", Dimension::Length),
    ("metres", "m", Dimension::Length),
    ("metre", "m", Dimension::Length),
    ("meters", "m", Dimension::Length),
    ("km", "km", Dimension::Length),
    ("kilometres", "km", Dimension::Length),
    ("kilometers", "km", Dimension::Length),
    ("km/h", "km/h", Dimension::Speed),
    ("kph", "km/h", Dimension::Speed),
    ("m/s", "m/s", Dimension::Speed),
    ("m s-1", "m/s", Dimension::Speed),
    ("mm/s", "mm/s", Dimension::Speed),
    ("mph", "mph", Dimension::Speed),
    ("m/s2", "m/s²", Dimension::Acceleration),
    ("m s-2", "m/s²", Dimension::Acceleration),
    ("g", "g", Dimension::Acceleration),
    ("°", "°", Dimension::Angle),
    ("deg", "°", Dimension::Angle),
    ("degrees", "°", Dimension::Angle),
    ("degree", "°", Dimension::Angle),
    ("rad", "rad", Dimension::Angle),
    ("mrad", "mrad", Dimension::Angle),
    ("deg/s", "°/s", Dimension::AngularRate),
    ("°/s", "°/s", Dimension::AngularRate),
    ("degrees per second", "°/s", Dimension::AngularRate),
    ("rad/s", "rad/s", Dimension::AngularRate),
    ("rpm", "rpm", Dimension::AngularRate),
    ("μs", "μs", Dimension::Time),
    ("ms", "ms", Dimension::Time),
    ("milliseconds", "ms", Dimension::Time),
    ("s", "s", Dimension::Time),
    ("seconds", "s", Dimension::Time),
    ("second", "s", Dimension::Time),
    ("min", "min", Dimension::Time),
    ("minutes", "min", Dimension::Time),
    ("h", "h", Dimension::Time),
    ("hours", "h", Dimension::Time),
    ("%", "%", Dimension::Percent),
    ("percent", "%", Dimension::Percent),
    ("per cent", "%", Dimension::Percent),
    ("Hz", "Hz", Dimension::Frequency),
    ("kHz", "kHz", Dimension::Frequency),
    ("MHz", "MHz", Dimension::Frequency),
    ("GHz", "GHz", Dimension::Frequency),
    ("nW", "nW", Dimension::Power),
    ("μW", "μW", Dimension::Power),
    ("mW", "mW", Dimension::Power),
    ("W", "W", Dimension::Power),
    ("kW", "kW", Dimension::Power),
    ("MW", "MW", Dimension::Power),
    ("microwatts", "μW", Dimension::Power),
    ("milliwatts", "mW", Dimension::Power),
    ("watts", "W", Dimension::Power),
    ("nJ", "nJ", Dimension::Energy),
    ("μJ", "μJ", Dimension::Energy),
    ("mJ", "mJ", Dimension::Energy),
    ("J", "J", Dimension::Energy),
    ("kJ", "kJ", Dimension::Energy),
    ("Wh", "Wh", Dimension::Energy),
    ("kWh", "kWh", Dimension::Energy),
    ("N", "N", Dimension::Force),
    ("kN", "kN", Dimension::Force),
    ("newtons", "N", Dimension::Force),
    ("N m", "N m", Dimension::Torque),
    ("Nm", "N m", Dimension::Torque),
    ("N·m", "N m", Dimension::Torque),
    ("kN m", "kN m", Dimension::Torque),
    ("kNm", "kN m", Dimension::Torque),
    ("N/m", "N/m", Dimension::Stiffness),
    ("N/mm", "N/mm", Dimension::Stiffness),
    ("kN/m", "kN/m", Dimension::Stiffness),
    ("kN/mm", "kN/mm", Dimension::Stiffness),
    ("N/rad", "N/rad", Dimension::Stiffness),
    ("kN/rad", "kN/rad", Dimension::Stiffness),
    ("N/deg", "N/°", Dimension::Stiffness),
    ("kN/deg", "kN/°", Dimension::Stiffness),
    ("Pa", "Pa", Dimension::Pressure),
    ("kPa", "kPa", Dimension::Pressure),
    ("MPa", "MPa", Dimension::Pressure),
    ("GPa", "GPa", Dimension::Pressure),
    ("bar", "bar", Dimension::Pressure),
    ("psi", "psi", Dimension::Pressure),
    ("°C", "°C", Dimension::Temperature),
    ("K", "K", Dimension::Temperature),
    ("mg", "mg", Dimension::Mass),
    ("kg", "kg", Dimension::Mass),
    ("kg/m3", "kg/m³", Dimension::Mass),
    ("t", "t", Dimension::Mass),
    ("V", "V", Dimension::Electric),
    ("mV", "mV", Dimension::Electric),
    ("volts", "V", Dimension::Electric),
    ("A", "A", Dimension::Electric),
    ("mA", "mA", Dimension::Electric),
    ("μA", "μA", Dimension::Electric),
    ("Ω", "Ω", Dimension::Electric),
    ("kΩ", "kΩ", Dimension::Electric),
    ("MΩ", "MΩ", Dimension::Electric),
    ("F", "F", Dimension::Electric),
    ("μF", "μF", Dimension::Electric),
    ("nF", "nF", Dimension::Electric),
    ("pF", "pF", Dimension::Electric),
    ("dB", "dB", Dimension::Level),
    ("dBm", "dBm", Dimension::Level),
    ("bit", "bit", Dimension::Data),
    ("bits", "bit", Dimension::Data),
    ("bytes", "B", Dimension::Data),
    ("kB", "kB", Dimension::Data),
    ("MB", "MB", Dimension::Data),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seen(text: &str) -> Vec<(String, Option<&'static str>)> {
        quantities(text).into_iter().map(|quantity| (quantity.value, quantity.unit)).collect()
    }

    fn one(text: &str) -> Quantity {
        quantities(text).into_iter().next().unwrap()
    }

    #[test]
    fn numbers_are_read_with_their_units() {
        assert_eq!(
            seen("14.9 m at 50 km/h; −2.2 per cent, 1,300 kg, 3.50 m/s², 80\u{a0}µW and 400 stops"),
            [
                ("14.9".to_owned(), Some("m")),
                ("50".to_owned(), Some("km/h")),
                ("-2.2".to_owned(), Some("%")),
                ("1300".to_owned(), Some("kg")),
                ("3.5".to_owned(), Some("m/s²")),
                ("80".to_owned(), Some("μW")),
                ("400".to_owned(), None),
            ]
        );
    }

    #[test]
    fn digits_of_names_and_ranges_are_not_mistaken() {
        assert_eq!(seen("XR-7741 in Q3, B2 and MF5.2"), []);
        assert_eq!(seen("2–5 mm"), [("2".to_owned(), None), ("5".to_owned(), Some("mm"))]);
        assert_eq!(seen("in 2006 (0.0)"), [("2006".to_owned(), None), ("0".to_owned(), None)]);
        assert_eq!(seen("50-ms window"), [("50".to_owned(), Some("ms"))]);
    }

    #[test]
    fn case_and_units_matter_but_signs_and_missing_units_do_not() {
        assert!(!one("3 mW").agrees(&one("3 MW")));
        assert!(!one("3 mm").agrees(&one("3 cm")));
        assert!(one("3 %").agrees(&one("3 per cent")));
        assert!(one("-3").agrees(&one("3.0 %")));
        assert_eq!(one("7 Hz").dimension(), Some(Dimension::Frequency));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[0-9a-zμ°%., \\-/|]{0,80}") {
            for quantity in quantities(&text) {
                prop_assert!(quantity.value.chars().any(|c| c.is_ascii_digit()));
            }
        }
    }
}
