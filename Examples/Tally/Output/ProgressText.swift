import LatticeCore

/// How far a tally is, in one line.
enum ProgressText {
    static func line(_ view: TallyViewState, _ host: HostStatus) -> String {
        var parts = ["\(view.filesDone)/\(view.filesFound)\(view.isWalked ? "" : "+") files", size(view.bytes)]
        if view.bytesPerSecond > 0 { parts.append(size(UInt64(view.bytesPerSecond)) + "/s") }
        if let left = view.secondsLeft { parts.append("\(Int(left.rounded(.up))) s left") }
        if view.failureCount > 0 { parts.append("\(view.failureCount) failed") }
        return "\(phase(view, host))  " + parts.joined(separator: "  ")
    }

    /// A bar in front of the line, as wide as the terminal leaves room for.
    static func bar(_ view: TallyViewState, _ host: HostStatus, columns: Int) -> String {
        let line = line(view, host)
        let width = min(30, columns - line.count - 4)
        guard width >= 5 else { return String(line.prefix(max(columns - 1, 0))) }
        let share = view.filesFound > 0 ? Double(view.filesDone) / Double(view.filesFound) : 0
        let full = view.phase == .finished ? width : min(Int(share * Double(width)), width)
        return "[" + String(repeating: "#", count: full) + String(repeating: ".", count: width - full) + "] " + line
    }

    static func phase(_ view: TallyViewState, _ host: HostStatus) -> String {
        // A tally that has come to its end needs no worker any more.
        if view.phase.isFinal { return view.phase.rawValue }
        return switch host {
        case .restarting(let restart): "restarting (\(restart.cause))"
        case .unresponsive: "does not answer"
        case .connecting: "connecting"
        case .failed: "failed"
        case .draining, .serving, .local, .other: view.phase.rawValue
        }
    }

    private static func size(_ bytes: UInt64) -> String {
        let units = ["B", "KiB", "MiB", "GiB", "TiB"]
        var value = Double(bytes)
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        return unit == 0 ? "\(bytes) B" : "\(Double(Int(value * 10)) / 10) \(units[unit])"
    }
}
