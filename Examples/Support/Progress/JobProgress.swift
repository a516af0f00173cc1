package import LatticeCore

/// How far a job is: a view state that is shown in one line.
package protocol JobProgress: Equatable, Sendable {
    /// What goes on, in a word.
    var phaseText: String { get }
    /// Whether it has come to its end, as it was meant to or not.
    var isFinal: Bool { get }
    /// How much of it is done, from 0 to 1.
    var share: Double { get }
    /// What there is to say in numbers.
    var parts: [String] { get }
    /// What to say once, in lines of their own.
    ///
    /// - Parameter old: What was shown before; nil at the beginning.
    func news(since old: Self?) -> [String]
}

extension JobProgress {
    /// Nothing.
    package func news(since old: Self?) -> [String] { [] }

    /// All of it in one line.
    package func line(_ host: HostStatus) -> String {
        "\(phase(host))  " + parts.joined(separator: "  ")
    }

    /// A bar in front of the line, as wide as the terminal leaves room for.
    package func bar(_ host: HostStatus, columns: Int) -> String {
        let line = line(host)
        let width = min(30, columns - line.count - 4)
        guard width >= 5 else { return String(line.prefix(max(columns - 1, 0))) }
        let full = min(max(Int(share * Double(width)), 0), width)
        return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full) + "] " + line
    }

    /// What goes on, or why nothing does.
    package func phase(_ host: HostStatus) -> String {
        // A job that has come to its end needs no worker any more.
        if isFinal { return phaseText }
        return switch host {
        case .restarting(let restart): "restarting (\(restart.cause))"
        case .unresponsive: "does not answer"
        case .connecting: "connecting"
        case .failed: "failed"
        case .draining, .serving, .local, .other: phaseText
        }
    }
}
