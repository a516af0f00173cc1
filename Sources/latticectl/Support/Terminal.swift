import Glibc

/// The terminal to which the result is printed, if it is one.
enum Terminal {
    /// The width of lines if the result goes to a terminal of unknown size.
    private static let usualWidth = 80

    /// The maximum number of characters of a line: that of `COLUMNS`, or of the terminal. Nil if the result does not go
    /// to a terminal, because programs read whole values.
    static var width: Int? {
        if let columns = getenv("COLUMNS").flatMap({ Int(String(cString: $0)) }), 20...1000 ~= columns {
            return columns
        }
        guard isatty(STDOUT_FILENO) == 1 else { return nil }
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return usualWidth }
        return Int(size.ws_col)
    }

    /// Returns a heading in bold type on a terminal, unless `NO_COLOR` is set or the terminal cannot show it. It is
    /// also recognised by its capital letters.
    static func bold(_ text: String) -> String { emphasised(text, "1") }

    /// Returns a line in reverse video, like ``bold(_:)``. A mark in the line says the same.
    static func reversed(_ text: String) -> String { emphasised(text, "7") }

    private static func emphasised(_ text: String, _ code: String) -> String {
        let noColor = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
        return isatty(STDOUT_FILENO) == 1 && !noColor && !isDumb ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
