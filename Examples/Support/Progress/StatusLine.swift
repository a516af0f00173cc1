import Synchronization

/// Standard error as a screen with whole lines and a bar at the bottom.
package enum StatusLine {
    private static let bar = Mutex("")

    /// A Boolean value that indicates whether standard error is a terminal.
    package static var isTerminal: Bool { Console.error.isTerminal }

    /// Writes a line, above the bar if there is one. It can be called on any thread.
    package static func say(_ line: String) {
        bar.withLock { bar in
            Console.error.put((bar.isEmpty ? "" : "\r\u{1B}[K") + line + "\n" + bar)
        }
    }

    /// Redraws the bar.
    package static func draw(_ text: String) {
        bar.withLock { bar in
            guard text != bar else { return }
            bar = text
            Console.error.put("\r\u{1B}[K" + text)
        }
    }

    /// Leaves the bar on the screen. Further lines follow below it.
    package static func endBar() {
        bar.withLock { bar in
            guard !bar.isEmpty else { return }
            bar = ""
            Console.error.put("\n")
        }
    }

    /// Reports that the result could not be written.
    ///
    /// - Parameters:
    ///   - reason: The reason.
    ///   - program: The name of the program.
    package static func sayNotWritten(_ reason: String, by program: String) {
        say("\(program): cannot write the result: \(reason)")
    }
}
