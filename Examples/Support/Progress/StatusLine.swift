import Synchronization

/// Standard error as one screen: whole lines, and below them a bar that stays at the bottom.
package enum StatusLine {
    private static let bar = Mutex("")

    package static var isTerminal: Bool { Console.error.isTerminal }

    /// Writes a line, above the bar if there is one. Any thread.
    package static func say(_ line: String) {
        bar.withLock { bar in
            Console.error.put((bar.isEmpty ? "" : "\r\u{1B}[K") + line + "\n" + bar)
        }
    }

    /// Draws the bar anew.
    package static func draw(_ text: String) {
        bar.withLock { bar in
            guard text != bar else { return }
            bar = text
            Console.error.put("\r\u{1B}[K" + text)
        }
    }

    /// Leaves the bar as it is; what follows goes below it.
    package static func endBar() {
        bar.withLock { bar in
            guard !bar.isEmpty else { return }
            bar = ""
            Console.error.put("\n")
        }
    }

    /// Says why the result is not there.
    ///
    /// - Parameter program: Whose result.
    package static func sayNotWritten(_ reason: String, by program: String) {
        say("\(program): cannot write the result: \(reason)")
    }
}
