//! The few pieces of HTML that sections are made of. Every text goes through [`escaped`]; a record is a file that anybody may have
//! written.

use std::fmt::Write;

/// A text as it must stand between tags and in quoted attributes.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// A cell: text to be escaped, or pieces that are HTML already.
pub(super) enum Cell {
    Text(String),
    Html(String),
}

/// A table that scrolls in itself where the screen is narrow. `id` names it for whoever reads the page by program.
pub(super) fn table(id: &str, headings: &[&str], rows: &[Vec<Cell>]) -> String {
    let mut html = format!("<div class=\"scroll\"><table id=\"{}\"><thead><tr>", escaped(id));
    for heading in headings {
        let _ = write!(html, "<th>{}</th>", escaped(heading));
    }
    html.push_str("</tr></thead><tbody>\n");
    for row in rows {
        html.push_str("<tr>");
        for cell in row {
            match cell {
                Cell::Text(text) => drop(write!(html, "<td>{}</td>", escaped(text))),
                Cell::Html(inside) => drop(write!(html, "<td>{inside}</td>")),
            }
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    html
}

/// Something that is there when it is asked for.
pub(super) fn folded(summary: &str, inside: &str) -> String {
    format!("<details><summary>{}</summary>{inside}</details>", escaped(summary))
}

/// A drawing, which shrinks with the screen.
pub(super) fn figure(svg: &str) -> String {
    format!("<figure>{svg}</figure>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_be_markup_is_text() {
        assert_eq!(escaped("<script>'a' & \"b\""), "&lt;script&gt;&#39;a&#39; &amp; &quot;b&quot;");
        let html = table("x\"y", &["<h>"], &[vec![Cell::Text("<b>".to_owned()), Cell::Html("<i>i</i>".to_owned())]]);
        assert!(html.contains("<th>&lt;h&gt;</th>") && html.contains("<td>&lt;b&gt;</td><td><i>i</i></td>"), "{html}");
        assert!(html.contains("id=\"x&quot;y\"") && folded("<s>", "in").contains("&lt;s&gt;"));
    }
}
