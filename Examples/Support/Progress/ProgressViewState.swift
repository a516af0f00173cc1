package import LatticeCore

/// A view state with the progress of a job, which is shown on one line.
package protocol ProgressViewState: Equatable, Sendable {
    /// The current phase, in a word.
    var phaseText: String { get }
    /// A Boolean value that indicates whether the job has ended, successfully or not.
    var isFinal: Bool { get }
    /// The share of the job that is done, from 0 to 1.
    var share: Double { get }
    /// A Boolean value that indicates whether the share is one of the whole job, and not of what has been found so far.
    var isTotalKnown: Bool { get }
    /// The bytes that are done.
    var bytes: UInt64 { get }
    /// The time in seconds that was spent on them, without pauses.
    var seconds: Double { get }
    /// The figures to show.
    var parts: [String] { get }
    /// Returns messages that are printed once, on their own lines.
    ///
    /// - Parameter old: The state that was shown before, or nil at the beginning.
    func news(since old: Self?) -> [String]
}

extension ProgressViewState {
    /// Returns no messages.
    package func news(since old: Self?) -> [String] { [] }

    /// Returns the progress as a line of text.
    package func line(_ host: HostStatus, _ pace: JobPace) -> String {
        "\(phase(host))  " + (parts + pace.parts(isFinal: isFinal)).joined(separator: "  ")
    }

    /// Returns the line with a progress bar in front that fits the width of the terminal.
    package func bar(_ host: HostStatus, _ pace: JobPace, columns: Int) -> String {
        let line = line(host, pace)
        let width = min(30, columns - line.count - 4)
        guard width >= 5 else { return String(line.prefix(max(columns - 1, 0))) }
        let full = min(max(Int(share * Double(width)), 0), width)
        return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full) + "] " + line
    }

    /// Returns the current phase, or the reason why the worker is not running.
    package func phase(_ host: HostStatus) -> String {
        // A job that has ended needs no worker any more.
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
