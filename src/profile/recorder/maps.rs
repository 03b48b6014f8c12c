//! From a return address to `object+0xoffset`, by the maps that a process wrote.

/// The executable ranges of a process.
#[derive(Clone, Debug, Default)]
pub struct Maps(Vec<Range>);

#[derive(Clone, Debug)]
struct Range {
    start: u64,
    end: u64,
    /// Where it begins in its file.
    offset: u64,
    object: String,
}

impl Maps {
    /// The ranges in text of the form of `/proc/PID/maps`; lines of another form are left out. Later lines win.
    pub fn parse(text: &str) -> Maps {
        let mut ranges: Vec<Range> = text.lines().filter_map(range).collect();
        ranges.reverse();
        Maps(ranges)
    }

    /// The name of an address.
    pub fn name(&self, address: u64) -> String {
        match self.0.iter().find(|range| (range.start..range.end).contains(&address)) {
            Some(range) => format!("{}+{:#x}", range.object, address - range.start + range.offset),
            None => format!("unknown+{address:#x}"),
        }
    }
}

/// `START-END PERMISSIONS OFFSET DEVICE INODE PATH`
fn range(line: &str) -> Option<Range> {
    let mut words = line.split_ascii_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let hexadecimal = |text: &str| u64::from_str_radix(text, 16).ok();
    let (start, end) = (hexadecimal(start)?, hexadecimal(end)?);
    let is_code = words.next()?.contains('x');
    let offset = hexadecimal(words.next()?)?;
    let path: Vec<&str> = words.skip(2).collect();
    let path = path.join(" ");
    let object = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("anonymous");
    let object = object.chars().filter(|letter| !letter.is_control()).collect();
    (is_code && start < end).then_some(Range { start, end, offset, object })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_named_by_its_object_and_its_offset_in_the_file() {
        let maps = Maps::parse(
            "1000-2000 r-xp 00003000 08:01 17 /usr/lib/libz.so.1\n2000-3000 rw-p 0 0:0 0\nnonsense\n\
             5000-6000 r-xp 00000000 00:00 0\n",
        );
        assert_eq!(maps.name(0x1010), "libz.so.1+0x3010");
        assert_eq!(maps.name(0x5001), "anonymous+0x1");
        assert_eq!(maps.name(0x2001), "unknown+0x2001");
    }
}
