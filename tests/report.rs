//! The page of a record: what is in it, that a browser shows it, and that it asks nobody for anything.

use assert_cmd::cargo::CommandCargoExt;
use copysmith::report::{Record, page};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// The record that is checked in; a copy, for where a tune was run its folder has a journal too.
fn checked_in() -> PathBuf {
    static COPIED: OnceLock<PathBuf> = OnceLock::new();
    COPIED.get_or_init(|| copied(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("checked-in"))).clone()
}

/// A copy of the record that is checked in, below `dir`.
fn copied(dir: &Path) -> PathBuf {
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("tuned/record/amd-1ah-02h");
    let folder = dir.join("amd-1ah-02h");
    fs::create_dir_all(&folder).unwrap();
    for name in ["winners", "host", "samples"] {
        fs::copy(record.join(name), folder.join(name)).unwrap();
    }
    folder
}

/// The same with a small race of two classes.
fn with_race(dir: &Path) -> PathBuf {
    let folder = copied(dir);
    let header = r#"{"schema":1,"kind":"header","version":"0.1.0","emitter":"0000000000000001","space":"0000000000000001","seed":1,"effort":"quick","machine":"amd-1ah-02h","microcode":null,"hypervisor":null,"features":[],"caches":{"l1d":49152,"l2":1048576,"l3":33554432},"kernel":"6"}"#;
    let mut lines = vec![header.to_owned()];
    let kernel = |unroll: u8, distance: u32| {
        format!("copy 4096..=8191 loop width=avx32 unroll={unroll} prefetch=t0:src:{distance}:clamp")
    };
    let all: Vec<(u8, u32)> =
        [2, 4].into_iter().flat_map(|unroll| [256, 1024].map(|distance| (unroll, distance))).collect();
    for block in 0..6 {
        let still = all.iter().take(if block < 3 { 4 } else { 2 });
        let sample = |&(unroll, distance): &(u8, u32)| {
            let ratio = -0.1 * f64::from(unroll) + f64::from(distance) / 10_000.0;
            format!(r#"{{"routine":"{}","log_ratio":{ratio}}}"#, kernel(unroll, distance))
        };
        let samples: Vec<String> = still.map(sample).collect();
        let samples = samples.join(",");
        lines.push(format!(
            r#"{{"schema":1,"kind":"block","class":"4096..=8191","phase":"race","samples":[{samples}]}}"#
        ));
    }
    lines.push(format!(
        r#"{{"schema":1,"kind":"race","class":"4096..=8191","winner":"{}","tied":["{}"],"candidates":4,"refused":1,"blocks":6,"log_ratio":-0.37,"noise_floor":0.005}}"#,
        kernel(4, 256),
        kernel(2, 256)
    ));
    fs::write(folder.join("race.journal"), lines.join("\n") + "\n").unwrap();
    folder
}

fn report(records: &[&Path], to: &Path) -> Output {
    let mut command = Command::cargo_bin("copysmith").unwrap();
    command.current_dir("/").arg("report").args(records).arg("-o").arg(to).output().unwrap()
}

#[test]
fn the_page_has_every_winner_with_its_figures_and_its_code_and_needs_no_network() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    assert_eq!(report(&[&checked_in()], &file).status.code(), Some(0));
    let html = fs::read_to_string(&file).unwrap();
    let record = Record::read(&checked_in()).unwrap();
    for winner in &record.winners.classes {
        assert!(html.contains(&format!("<td>{}</td>", winner.span)), "{}", winner.span);
        assert!(html.contains(&winner.recipe.to_string()), "{}", winner.recipe);
    }
    for figure in &record.confirmed[..3] {
        assert!(html.contains(&format!("<td>{:.3}</td>", figure.log_ratio.exp())), "{figure:?}");
    }
    assert!(html.matches("class=\"code\"").count() == record.winners.classes.len() + 1);
    assert!(html.contains("virtual machine (KVM)") && html.contains("0x1000065"));
    assert!(html.contains("ratio, 95 % interval"));
    // No journal, and the page says what that leaves out.
    assert_eq!(html.matches("The record has no journal").count(), 2);
    for outside in ["http://", "https://", "src=", "href=", "@import", "url("] {
        // The namespace of a drawing is a name and not an address.
        assert!(!html.replace("http://www.w3.org/2000/svg", "").contains(outside), "{outside}");
    }
}

#[test]
fn a_race_is_shown_with_survivors_ties_and_heat_maps_and_two_records_beside_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let raced = Record::read(&with_race(dir.path())).unwrap();
    let html = page(std::slice::from_ref(&raced)).unwrap();
    assert!(html.contains("who is still in the race") && html.contains("<summary>1</summary>"), "no race");
    assert!(html.contains("class 4096..=8191: best ratio by unroll and distance"));
    // exp(-0.4 + 0.0256) and exp(-0.2 + 0.1024)
    assert!(html.contains("0.69") && html.contains("0.91"), "no cells");
    let both = page(&[raced, Record::read(&checked_in()).unwrap()]).unwrap();
    assert!(both.contains("Side by side") && both.contains("id=\"record-2\"") && both.contains("id=\"winners-2\""));
    assert!(both.len() > html.len());
}

#[test]
fn what_a_record_says_is_never_markup() {
    let mut record = Record::read(&checked_in()).unwrap();
    record.winners.provenance.copysmith = "<img src=x onerror=alert(1)>".to_owned();
    let html = page(&[record]).unwrap();
    assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;") && !html.contains("<img"));
}

#[test]
fn what_is_no_record_is_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    let said = |output: Output| {
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.lines().count() == 1 && !file.exists(), "{said}");
        said
    };
    assert!(said(report(&[dir.path()], &file)).contains("is no record: it has no winners"));
    let folder = with_race(dir.path());
    fs::write(folder.join("host"), "{}").unwrap();
    assert!(said(report(&[&folder], &file)).contains("host is damaged"));
    fs::copy(checked_in().join("host"), folder.join("host")).unwrap();
    fs::write(folder.join("race.journal"), "{\"schema\":7}\n").unwrap();
    assert!(said(report(&[&folder], &file)).contains("of schema 7"));
}

/// A browser without a window; `None`, and said, where there is none.
fn browser(arguments: &[&str], file: &Path) -> Option<Output> {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new("chromium");
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]);
    command.arg(format!("--user-data-dir={}", home.path().display())).args(arguments);
    match command.arg(format!("file://{}", file.display())).output() {
        Ok(output) => Some(output),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: chromium is not installed");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_browser_reads_the_figures_and_on_a_phone_nothing_sticks_out() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    let record = with_race(dir.path());
    assert_eq!(report(&[&record, &checked_in()], &file).status.code(), Some(0));
    // The page has no script and allows none: the copy that is asked has one, and a policy that lets it in.
    let html = fs::read_to_string(&file).unwrap();
    let probe = "<script>
        const cell = (id, row, column) => document.getElementById(id).tBodies[0].rows[row].cells[column].innerText;
        const all = { wide: document.documentElement.scrollWidth, inner: innerWidth, drawings: document.querySelectorAll('figure svg').length,
            class: cell('winners-1', 0, 0), ratio: cell('winners-1', 0, 1), tied: cell('races-1', 0, 5) };
        const detail = document.querySelector('#winners-1 details'); const before = detail.querySelector('pre').checkVisibility();
        detail.open = true; all.folded = !before && detail.querySelector('pre').checkVisibility();
        document.title = 'read ' + JSON.stringify(all);
    </script></body>";
    let asked = dir.path().join("asked.html");
    let allowed = html.replace("default-src 'none';", "default-src 'none'; script-src 'unsafe-inline';");
    fs::write(&asked, allowed.replace("</body>", probe)).unwrap();
    let Some(output) = browser(&["--window-size=500,900", "--dump-dom"], &asked) else { return };
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    let title = dom.split("<title>read ").nth(1).and_then(|rest| rest.split("</title>").next());
    let title = title.unwrap_or_else(|| panic!("no answer: {}", String::from_utf8_lossy(&output.stderr)));
    let read: serde_json::Value = serde_json::from_str(title).unwrap();
    let winners = Record::read(&checked_in()).unwrap().winners;
    assert_eq!(read["class"], winners.classes[0].span.to_string());
    let copysmith::print::winners::Evidence::Measured { ratio, .. } = winners.classes[0].evidence else {
        panic!("measured")
    };
    assert_eq!(read["ratio"], format!("{ratio:.3}"));
    assert!(read["tied"] == "1" && read["folded"] == true && read["drawings"].as_u64() >= Some(3), "{read}");
    assert!(read["wide"].as_u64() <= read["inner"].as_u64(), "{read}");
    let picture = dir.path().join("report.png");
    let shot = format!("--screenshot={}", picture.display());
    browser(&["--window-size=500,900", &shot], &file);
    let png = fs::read(&picture).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000, "{} bytes", png.len());
}
