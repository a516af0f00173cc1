import Glibc

/// The terminal of standard input and output. Between `enter` and `leave`, keys arrive immediately and are not echoed,
/// and the previous contents of the screen are saved.
@MainActor package final class Terminal {
    /// The size of a terminal in characters.
    package struct Size: Equatable, Sendable {
        /// The number of columns.
        package var columns: Int
        /// The number of rows.
        package var rows: Int

        /// Creates a size.
        package init(columns: Int = 80, rows: Int = 24) {
            self.columns = columns
            self.rows = rows
        }
    }

    private var saved: termios?
    private var drawn: (lines: [String], size: Size)?

    /// Returns nil if standard input and output are no terminal, or one that cannot move its cursor.
    package init?() {
        let kind = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        guard isatty(STDIN_FILENO) == 1, Console.output.isTerminal, kind != "dumb" else { return nil }
    }

    /// The size of the terminal, or 80 by 24 if it is unknown.
    package var size: Size {
        let (columns, rows) = Console.output.size
        return columns > 0 && rows > 0 ? Size(columns: columns, rows: rows) : Size()
    }

    /// Switches the terminal to single keys and another screen.
    ///
    /// - Throws: ``ProgramError`` if the terminal cannot be switched.
    package func enter() throws(ProgramError) {
        var attributes = termios()
        guard tcgetattr(STDIN_FILENO, &attributes) == 0 else { throw Self.unusable }
        var raw = attributes
        cfmakeraw(&raw)
        guard tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0 else { throw Self.unusable }
        saved = attributes
        drawn = nil
        // Switch to the alternate screen and hide the cursor.
        Console.output.put("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Restores the terminal. Keys that were pressed but not read are dropped, because they were not meant for the
    /// shell.
    package func leave() {
        guard var attributes = saved else { return }
        saved = nil
        Console.output.put("\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes)
    }

    /// Draws lines that fit, unless they are on the screen already.
    package func draw(_ lines: [String], size: Size) {
        guard drawn.map({ $0.lines != lines || $0.size != size }) ?? true else { return }
        drawn = (lines, size)
        // Each line is cleared before it is written. Clearing after a full line would erase its last character.
        let text = lines.map { "\u{1B}[K" + $0 }.joined(separator: "\r\n")
        let rest = lines.count < size.rows ? "\r\n\u{1B}[J" : ""
        Console.output.put("\u{1B}[H" + text + rest)
    }

    private static var unusable: ProgramError {
        ProgramError(
            "cannot use this terminal: \(String(cString: strerror(errno))); pipe the output through cat instead"
        )
    }
}
