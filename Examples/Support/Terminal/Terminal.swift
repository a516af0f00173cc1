import Glibc

/// The terminal at standard input and output. Between `enter` and `leave` keys come at once and unseen, and what was on
/// the screen before is kept aside.
@MainActor package final class Terminal {
    package struct Size: Equatable, Sendable {
        package var columns: Int
        package var rows: Int

        package init(columns: Int = 80, rows: Int = 24) {
            self.columns = columns
            self.rows = rows
        }
    }

    private var saved: termios?
    private var drawn: (lines: [String], size: Size)?

    /// nil if there is none, or one that cannot move its cursor.
    package init?() {
        let kind = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        guard isatty(STDIN_FILENO) == 1, Console.output.isTerminal, kind != "dumb" else { return nil }
    }

    /// 80 by 24 if the terminal does not say.
    package var size: Size {
        let (columns, rows) = Console.output.size
        return columns > 0 && rows > 0 ? Size(columns: columns, rows: rows) : Size()
    }

    package func enter() throws(ProgramError) {
        var attributes = termios()
        guard tcgetattr(STDIN_FILENO, &attributes) == 0 else { throw Self.unusable }
        var raw = attributes
        cfmakeraw(&raw)
        guard tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0 else { throw Self.unusable }
        saved = attributes
        drawn = nil
        // Another screen, without a cursor.
        Console.output.put("\u{1B}[?1049h\u{1B}[?25l")
    }

    /// Makes everything as it was. Keys that were pressed and not read are forgotten: they were not for the shell.
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
        // Each line is cleared before it is written: behind a full one, its last character would be cleared.
        let text = lines.map { "\u{1B}[K" + $0 }.joined(separator: "\r\n")
        let rest = lines.count < size.rows ? "\r\n\u{1B}[J" : ""
        Console.output.put("\u{1B}[H" + text + rest)
    }

    private static var unusable: ProgramError {
        ProgramError("cannot use this terminal: \(String(cString: strerror(errno))); try with | cat")
    }
}
