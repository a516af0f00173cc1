import ExampleSupport
import Glibc

/// The terminal at standard input and output. Between `enter` and `leave` keys come at once and unseen, and what was on
/// the screen before is kept aside.
@MainActor final class Terminal {
    private var saved: termios?
    private var drawn: (screen: Screen, size: Screen.Size)?

    /// nil if there is none, or one that cannot move its cursor.
    init?() {
        let kind = getenv("TERM").map { String(cString: $0) } ?? "dumb"
        guard isatty(STDIN_FILENO) == 1, Console.output.isTerminal, kind != "dumb" else { return nil }
    }

    /// 80 by 24 if the terminal does not say.
    var size: Screen.Size {
        let (columns, rows) = Console.output.size
        return columns > 0 && rows > 0 ? Screen.Size(columns: columns, rows: rows) : Screen.Size()
    }

    func enter() throws(ProgramError) {
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
    func leave() {
        guard var attributes = saved else { return }
        saved = nil
        Console.output.put("\u{1B}[?25h\u{1B}[?1049l")
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &attributes)
    }

    /// Draws what is not on the screen already.
    func draw(_ screen: Screen, size: Screen.Size) {
        guard drawn.map({ $0.screen != screen || $0.size != size }) ?? true else { return }
        drawn = (screen, size)
        // Each line is cleared before it is written: behind a full one, its last character would be cleared.
        let lines = screen.lines.map { "\u{1B}[K" + $0 }.joined(separator: "\r\n")
        let rest = screen.lines.count < size.rows ? "\r\n\u{1B}[J" : ""
        Console.output.put("\u{1B}[H" + lines + rest)
    }

    private static var unusable: ProgramError {
        ProgramError("cannot use this terminal: \(String(cString: strerror(errno))); try with | cat")
    }
}
