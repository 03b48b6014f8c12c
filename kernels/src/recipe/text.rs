//! The canonical text of a recipe: `OPERATION SPAN SHAPE axis=value ...`, with every axis that is at its default left out.

use super::axes::{Bottom, Last, Tail, direction};
use super::{Form, Loop, Order, Recipe, RecipeError, Shape, Source, Stores, StringMove};
use crate::plan::{Direction, Width};
use std::fmt;
use std::str::FromStr;

const SHAPES: &str = "one of pairs chain branch-free masked computed jump-table string loop";

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.operation, self.span, self.shape)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Pairs { width, moves, last } => {
                write!(f, "pairs width={width}")?;
                unless(f, "moves", moves, &1)?;
                unless(f, "last", last, &Last::Tail)
            }
            Shape::Chain { width, bottom } => {
                write!(f, "chain width={width}")?;
                unless(f, "bottom", bottom, &Bottom::Pairs)
            }
            Shape::BranchFree { width } => write!(f, "branch-free width={width}"),
            Shape::Masked { width } => write!(f, "masked width={width}"),
            Shape::Computed { width, moves, last } => {
                write!(f, "computed width={width} moves={moves}")?;
                unless(f, "last", last, &Last::Tail)
            }
            Shape::JumpTable { width } => write!(f, "jump-table width={width}"),
            Shape::String(string) => {
                write!(f, "string unit={}", string.unit)?;
                if let Some(align) = string.align {
                    write!(f, " align={align}")?;
                }
                unless(f, "tail", &string.tail, &Tail::String)?;
                unless(f, "direction", &string.direction, &Direction::Forward)?;
                string.guard.map_or(Ok(()), |guard| write!(f, " guard={guard}"))
            }
            Shape::Loop(axes) => axes.fmt(f),
        }
    }
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = Loop::plain(self.width, self.unroll);
        write!(f, "loop width={} unroll={}", self.width, self.unroll)?;
        unless(f, "order", &self.order, &plain.order)?;
        if let Some(prefetch) = self.prefetch {
            write!(f, " prefetch={prefetch}")?;
        }
        unless(f, "line", &self.line, &plain.line)?;
        if let Some(align) = self.align {
            write!(f, " align={align}")?;
        }
        if let Some(bytes) = self.zero {
            write!(f, " zero={bytes}")?;
        }
        unless(f, "source", &self.source, &plain.source)?;
        unless(f, "stores", &self.stores, &plain.stores)?;
        unless(f, "form", &self.form, &plain.form)?;
        unless(f, "loop-align", &self.loop_align, &plain.loop_align)?;
        unless(f, "direction", &self.direction, &plain.direction)?;
        unless(f, "tail", &self.tail, &plain.tail)
    }
}

fn unless<T: fmt::Display + PartialEq>(f: &mut fmt::Formatter<'_>, axis: &str, value: &T, default: &T) -> fmt::Result {
    if value == default { Ok(()) } else { write!(f, " {axis}={value}") }
}

impl FromStr for Recipe {
    type Err = RecipeError;

    fn from_str(text: &str) -> Result<Recipe, RecipeError> {
        let mut words = text.split_whitespace();
        let expect = |word: Option<&str>, allowed: &str| RecipeError::Word {
            word: word.unwrap_or_default().to_owned(),
            allowed: allowed.to_owned(),
        };
        let operation = words.next().unwrap_or("").parse()?;
        let span = words.next();
        let span = span
            .and_then(|word| word.parse().ok())
            .ok_or_else(|| expect(span, "a span: first..=last or first.., in bytes, not backward"))?;
        let name = words.next().ok_or_else(|| expect(None, SHAPES))?;
        let mut axes = Axes::parse(words)?;
        let shape = shape(name, &mut axes)?;
        axes.finish(name)?;
        Recipe::of(operation, span, shape)
    }
}

fn shape(name: &str, axes: &mut Axes<'_>) -> Result<Shape, RecipeError> {
    Ok(match name {
        "pairs" => Shape::Pairs {
            width: axes.width("width")?,
            moves: axes.number("moves", "a number from 1 to 8")?.unwrap_or(1),
            last: axes.take("last")?.unwrap_or(Last::Tail),
        },
        "chain" => Shape::Chain { width: axes.width("width")?, bottom: axes.take("bottom")?.unwrap_or(Bottom::Pairs) },
        "branch-free" => Shape::BranchFree { width: axes.width("width")? },
        "masked" => Shape::Masked { width: axes.width("width")? },
        "computed" => Shape::Computed {
            width: axes.width("width")?,
            moves: axes.number("moves", "4 or 8")?.unwrap_or(4),
            last: axes.take("last")?.unwrap_or(Last::Tail),
        },
        "jump-table" => Shape::JumpTable { width: axes.width("width")? },
        "string" => Shape::String(StringMove {
            unit: axes.width("unit")?,
            align: axes.optional("align")?,
            tail: axes.take("tail")?.unwrap_or(Tail::String),
            direction: axes.direction()?,
            guard: axes.optional_number("guard", "none, 16, 32 or 64")?,
        }),
        "loop" => {
            let unroll = axes.number("unroll", "a number from 1 to 16")?.unwrap_or(1);
            let plain = Loop::plain(axes.width("width")?, unroll);
            Shape::Loop(Loop {
                order: axes.take::<Order>("order")?.unwrap_or(plain.order),
                prefetch: axes.optional("prefetch")?,
                align: axes.optional("align")?,
                line: axes.number("line", "32, 64 or 128")?.unwrap_or(plain.line),
                zero: axes.optional_number("zero", "none, 32, 64 or 128")?,
                source: axes.take::<Source>("source")?.unwrap_or(plain.source),
                stores: axes.take::<Stores>("stores")?.unwrap_or(plain.stores),
                form: axes.take::<Form>("form")?.unwrap_or(plain.form),
                loop_align: axes.number("loop-align", "1, 16, 32 or 64")?.unwrap_or(plain.loop_align),
                direction: axes.direction()?,
                tail: axes.take("tail")?.unwrap_or(plain.tail),
                ..plain
            })
        }
        other => return Err(RecipeError::Word { word: other.to_owned(), allowed: SHAPES.to_owned() }),
    })
}

/// The `axis=value` words of a text, taken out one by one by the shape that knows them.
struct Axes<'a> {
    left: Vec<(&'a str, &'a str)>,
    asked: Vec<&'static str>,
}

impl<'a> Axes<'a> {
    fn parse(words: impl Iterator<Item = &'a str>) -> Result<Axes<'a>, RecipeError> {
        let mut left: Vec<(&str, &str)> = Vec::new();
        for word in words {
            let (axis, value) = word
                .split_once('=')
                .ok_or_else(|| RecipeError::Word { word: word.to_owned(), allowed: "axis=value".to_owned() })?;
            if left.iter().any(|&(earlier, _)| earlier == axis) {
                return Err(RecipeError::Word { word: word.to_owned(), allowed: format!("{axis} once only") });
            }
            left.push((axis, value));
        }
        Ok(Axes { left, asked: Vec::new() })
    }

    fn text(&mut self, axis: &'static str) -> Option<&'a str> {
        self.asked.push(axis);
        let at = self.left.iter().position(|&(name, _)| name == axis)?;
        Some(self.left.remove(at).1)
    }

    fn take<T: FromStr<Err = RecipeError>>(&mut self, axis: &'static str) -> Result<Option<T>, RecipeError> {
        self.text(axis).map(str::parse).transpose()
    }

    fn optional<T: FromStr<Err = RecipeError>>(&mut self, axis: &'static str) -> Result<Option<T>, RecipeError> {
        self.text(axis).filter(|&text| text != "none").map(str::parse).transpose()
    }

    fn number(&mut self, axis: &'static str, allowed: &'static str) -> Result<Option<u8>, RecipeError> {
        self.text(axis).map(|text| text.parse().map_err(|_| RecipeError::value(axis, text, allowed))).transpose()
    }

    fn optional_number(&mut self, axis: &'static str, allowed: &'static str) -> Result<Option<u8>, RecipeError> {
        if self.left.contains(&(axis, "none")) {
            return Ok(self.text(axis).and(None));
        }
        self.number(axis, allowed)
    }

    fn width(&mut self, axis: &'static str) -> Result<Width, RecipeError> {
        let allowed = if axis == "unit" {
            "one of 1 2 4 8"
        } else {
            "one of 1 2 4 8 mmx8 sse4 sse8 sse16 avx32 evex16 evex32 evex64 fp8 altivec16 vsx16 vsx32"
        };
        let missing = || RecipeError::Combination(format!("{axis} is missing; it is {allowed}"));
        let text = self.text(axis).ok_or_else(missing)?;
        text.parse().map_err(|()| RecipeError::value(axis, text, allowed))
    }

    fn direction(&mut self) -> Result<Direction, RecipeError> {
        Ok(self.text("direction").map(direction).transpose()?.unwrap_or(Direction::Forward))
    }

    fn finish(self, shape: &str) -> Result<(), RecipeError> {
        match self.left.first() {
            None => Ok(()),
            Some((axis, value)) => Err(RecipeError::Word {
                word: format!("{axis}={value}"),
                allowed: format!("an axis of {shape}: {}", self.asked.join(" ")),
            }),
        }
    }
}
