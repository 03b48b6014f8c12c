//! The page itself: sections in the order in which they are to be read, and how they look.

use super::html::escaped;
use super::{Record, ReportError, heat, lengths, machine, race, sides, winners};

/// The look: one column on a phone, two where there is room, and colours that also a dark screen may turn round.
const STYLE: &str = include_str!("style.css");

/// The page of one record, or of several beside each other.
///
/// # Errors
/// [`ReportError::Plot`]; none is known.
pub fn page(records: &[Record]) -> Result<String, ReportError> {
    let names: Vec<&str> = records.iter().map(|record| record.winners.machine.as_str()).collect();
    let title = format!("copysmith: {}", names.join(", "));
    // Nothing may be fetched, whatever a record says.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<h1>{}</h1>\n",
        escaped(&title),
        escaped(&title)
    );
    html.push_str("<h2>Ratio to the system's memcpy</h2>\n");
    html.push_str(&lengths::section(records)?);
    if records.len() > 1 {
        html.push_str("<h2>Side by side</h2>\n");
        html.push_str(&sides::section(records));
    }
    html.push_str("<div class=\"records\">\n");
    for (index, record) in records.iter().enumerate() {
        let number = index + 1;
        html.push_str(&format!("<section id=\"record-{number}\">\n<h2>{}</h2>\n", escaped(&record.winners.machine)));
        for (heading, inside) in [
            ("Machine", machine::section(number, record)),
            ("Winners", winners::section(number, record)),
            ("Heat maps", heat::section(record)?),
            ("Races", race::section(number, record)?),
        ] {
            html.push_str(&format!("<h3>{heading}</h3>\n{inside}"));
        }
        html.push_str("</section>\n");
    }
    html.push_str("</div>\n</body>\n</html>\n");
    Ok(html)
}
