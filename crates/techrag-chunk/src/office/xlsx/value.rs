//! The value of a cell as text: numbers as Excel keeps them, dates as dates.

use calamine::{DataRef, ExcelDateTime};

/// Digits of a number that Excel keeps; what stands behind them is the noise of binary fractions.
const DIGITS: usize = 15;

/// The text of a value; empty where there is nothing.
pub(super) fn text(value: &DataRef<'_>) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => self::number(*number),
        DataRef::String(text) => text.clone(),
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(true) => "TRUE".into(),
        DataRef::Bool(false) => "FALSE".into(),
        DataRef::DateTime(date) => self::date(date),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Error(error) => error.to_string(),
        DataRef::Empty => String::new(),
    }
}

fn number(number: f64) -> String {
    format!("{number:.*e}", DIGITS - 1).parse().unwrap_or(number).to_string()
}

/// `2024-03-01`, `2024-03-01 14:30:00`, `14:30:00`, or for a duration hours beyond a day: `31:15:00`.
fn date(date: &ExcelDateTime) -> String {
    if date.is_duration() {
        let seconds = (date.as_f64() * 86_400.0).round();
        let (sign, seconds) = (if seconds < 0.0 { "-" } else { "" }, seconds.abs() as u64);
        return format!("{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
    let (date_part, time) = (format!("{year:04}-{month:02}-{day:02}"), format!("{hour:02}:{minute:02}:{second:02}"));
    match (date.as_f64() < 1.0, (hour, minute, second) == (0, 0, 0)) {
        (true, _) => time,
        (false, true) => date_part,
        (false, false) => format!("{date_part} {time}"),
    }
}

#[cfg(test)]
mod tests {
    use calamine::ExcelDateTimeType::{DateTime, TimeDelta};

    use super::*;

    #[test]
    fn values_read_as_in_the_sheet() {
        assert_eq!(text(&DataRef::Float(0.1 + 0.2)), "0.3");
        assert_eq!(text(&DataRef::Float(-3.0)), "-3");
        assert_eq!(text(&DataRef::Bool(true)), "TRUE");
        let date = |value| text(&DataRef::DateTime(ExcelDateTime::new(value, DateTime, false)));
        assert_eq!([date(46095.0), date(46095.5), date(0.25)], ["2026-03-14", "2026-03-14 12:00:00", "06:00:00"]);
        let span = ExcelDateTime::new(1.302_083_333_333_333_3, TimeDelta, false);
        assert_eq!(text(&DataRef::DateTime(span)), "31:15:00");
    }
}
