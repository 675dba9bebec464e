//! Results in JSON.

use crate::codec::{put_amount, put_decimal};
use crate::prelude::*;

/// Appends JSON to a string. Commas are put where they are missing, so a field or item is written without a look at
/// what stands before it.
#[derive(Default)]
pub struct Writer {
    out: String,
}

impl Writer {
    pub fn into_string(self) -> String {
        self.out
    }

    /// Bytes written so far.
    pub fn written(&self) -> usize {
        self.out.len()
    }

    fn separate(&mut self) -> &mut String {
        if !matches!(self.out.as_bytes().last(), None | Some(b'{' | b'[' | b':')) {
            self.out.push(',');
        }
        &mut self.out
    }

    pub fn open(&mut self, bracket: char) -> &mut Self {
        self.separate().push(bracket);
        self
    }

    pub fn close(&mut self, bracket: char) -> &mut Self {
        self.out.push(bracket);
        self
    }

    pub fn key(&mut self, name: &str) -> &mut Self {
        let out = self.separate();
        out.push('"');
        out.push_str(name);
        out.push_str("\":");
        self
    }

    /// A value that is JSON already, or a bare word.
    pub fn raw(&mut self, json: &str) -> &mut Self {
        self.separate().push_str(json);
        self
    }

    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.raw(if value { "true" } else { "false" })
    }

    pub fn number(&mut self, value: u64) -> &mut Self {
        put_decimal(self.separate(), value);
        self
    }

    /// An amount, as a string of digits.
    pub fn amount(&mut self, value: u128) -> &mut Self {
        let out = self.separate();
        out.push('"');
        put_amount(out, value);
        out.push('"');
        self
    }

    /// A text that needs no escapes, such as an account id.
    pub fn plain(&mut self, text: &str) -> &mut Self {
        let out = self.separate();
        out.push('"');
        out.push_str(text);
        out.push('"');
        self
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        let out = self.separate();
        out.push('"');
        let mut copied = 0;
        for (at, byte) in text.bytes().enumerate() {
            if byte >= 0x20 && byte != b'"' && byte != b'\\' {
                continue;
            }
            out.push_str(text.get(copied..at).unwrap_or_default());
            copied = at + 1;
            match byte {
                b'"' | b'\\' => {
                    out.push('\\');
                    out.push(byte as char);
                }
                _ => {
                    out.push_str("\\u00");
                    out.push_str(&crate::accounts::hex(&[byte]));
                }
            }
        }
        out.push_str(text.get(copied..).unwrap_or_default());
        out.push('"');
        self
    }

    pub fn optional_text(&mut self, text: Option<&str>) -> &mut Self {
        match text {
            Some(text) => self.text(text),
            None => self.raw("null"),
        }
    }

    pub fn optional_amount(&mut self, value: Option<u128>) -> &mut Self {
        match value {
            Some(value) => self.amount(value),
            None => self.raw("null"),
        }
    }

    pub fn optional_number(&mut self, value: Option<u64>) -> &mut Self {
        match value {
            Some(value) => self.number(value),
            None => self.raw("null"),
        }
    }
}
