import ExampleSupport
import LatticeCore

/// The screen of a terminal: the typed word, and the files that contain it most often.
struct IndexScreen {
    static let help = "type a word  Backspace  Enter reads changed files again  Esc quits"

    let lines: [String]

    /// Creates the lines of the screen.
    ///
    /// - Parameters:
    ///   - view: The progress of the index.
    ///   - answer: The newest answer to this terminal. It may still belong to an earlier word.
    ///   - typed: The typed word.
    ///   - root: The path of the index.
    ///   - host: The status of the worker.
    ///   - size: The size of the terminal.
    init(
        _ view: IndexViewState,
        _ answer: Answer?,
        typed: String,
        root: String,
        host: HostStatus,
        size: Terminal.Size
    ) {
        var lines = ["wordindex: \(view.progress)  \(Self.status(host) ?? root)", "> \(typed)_", ""]
        if let answer, answer.word == typed {
            let rows = answer.counts.sorted { one, other in
                one.value == other.value ? one.key.rawValue < other.key.rawValue : one.value > other.value
            }
            let total = rows.reduce(0) { $0 + $1.value }
            lines[2] =
                "\(total) \(total == 1 ? "time" : "times") in \(rows.count) \(rows.count == 1 ? "file" : "files")"
            let room = max(size.rows - lines.count - 1, 0)
            lines += rows.prefix(room).map { path, count in
                let number = String(count)
                return String(repeating: " ", count: max(7 - number.count, 0)) + number + "  " + Self.shown(path.path)
            }
        }
        self.lines = (lines.prefix(max(size.rows - 1, 0)) + [Self.help]).map { TextWidth.cut($0, to: size.columns) }
    }

    /// Returns a path without control characters, which the terminal would otherwise obey.
    private static func shown(_ path: [UInt8]) -> String {
        let scalars = PathText.text(path).unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Returns the problem of the host, or nil if there is none.
    private static func status(_ host: HostStatus) -> String? {
        switch host {
        case .local, .serving: nil
        case .connecting: "connecting"
        case .unresponsive: "the worker does not answer"
        case .restarting: "the worker is started again"
        case .draining: "the worker is stopping"
        case .failed: "the worker is gone"
        case .other(let other): other.sentence
        }
    }
}
