import Synchronization

/// Standard error as one screen: whole lines, and below them a bar that stays at the bottom.
enum StatusLine {
    private static let bar = Mutex("")

    static var isTerminal: Bool { Console.error.isTerminal }

    /// Writes a line, above the bar if there is one. Any thread.
    static func say(_ line: String) {
        bar.withLock { bar in
            write((bar.isEmpty ? "" : "\r\u{1B}[K") + line + "\n" + bar)
        }
    }

    /// Draws the bar anew.
    static func draw(_ text: String) {
        bar.withLock { bar in
            guard text != bar else { return }
            bar = text
            write("\r\u{1B}[K" + text)
        }
    }

    /// Leaves the bar as it is; what follows goes below it.
    static func endBar() {
        bar.withLock { bar in
            guard !bar.isEmpty else { return }
            bar = ""
            write("\n")
        }
    }

    private static func write(_ text: String) {
        var console = Console.error
        console.write(text)
        console.flush()
    }
}
