//! The profiles that are shipped, through the command.

use crate::program::{copysmith, text};
use copysmith::profile::shipped;

#[test]
fn each_shipped_profile_is_listed_on_a_line_and_shown_by_name() {
    let output = copysmith(&["profile", "list"]).output().unwrap();
    let listed = text(&output.stdout);
    assert_eq!(listed.lines().count(), shipped().len() + 1, "{listed}");
    for shipped in shipped() {
        assert!(listed.lines().any(|line| line.starts_with(&format!("{} ", shipped.name))), "{listed}");
        let shown = copysmith(&["profile", "show", shipped.name]).output().unwrap();
        assert_eq!(shown.status.code(), Some(0));
        assert!(text(&shown.stdout).starts_with(&format!("profile        {}\n", shipped.name)));
    }
}
