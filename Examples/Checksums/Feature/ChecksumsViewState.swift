import ExampleSupport
import LatticeCore

/// The progress of a job.
struct ChecksumsViewState: Codable, Equatable, Sendable {
    var phase = ChecksumsState.Phase.idle
    /// The number of files that are hashed.
    var files = 0
    /// The number of files that cannot be hashed.
    var failures = 0
    var found = ChecksumsState.Found()
    var bytes: UInt64 = 0
    /// The seconds of hashing by all workers of the feature.
    var seconds = 0.0
    /// The work of the hashers by their processes.
    var shares: StateDictionary<Int32, ChecksumsState.Share> = [:]
}

extension ChecksumsViewState: ProgressViewState {
    var phaseText: String { phase.rawValue }
    var isFinal: Bool { phase.isFinal }
    var isTotalKnown: Bool { found.isAll }

    var share: Double {
        guard phase != .finished else { return 1 }
        return found.bytes > 0 ? Double(bytes) / Double(found.bytes) : 0
    }

    var parts: [String] {
        // At first, the number of found files is lower than the number of hashed ones.
        let known = files + failures
        var parts = ["\(known)/\(max(known, found.files))\(found.isAll ? "" : "+") files", NumberText.size(bytes)]
        if failures > 0 { parts.append("\(failures) failed") }
        return parts
    }

    /// Reports each hasher when it sends its first message, so that the user can find its process, and at the end the
    /// work of each hasher.
    func news(since old: ChecksumsViewState?) -> [String] {
        var news = shares.keys.filter { old?.shares.contains(key: $0) != true }.map { "hasher \($0) at work" }
        if isFinal, old?.isFinal != true {
            news += shares.map { hasher, share -> String in
                let files = share.files == 1 ? "1 file" : "\(share.files) files"
                return "hasher \(hasher): \(files), \(NumberText.size(share.bytes))"
            }
        }
        return news
    }
}

extension ChecksumsViewState: Patchable {
    func encodePatch(from old: ChecksumsViewState, to patch: inout PatchEncoder) throws {
        try patch.field("phase", from: old.phase, to: phase)
        try patch.field("files", from: old.files, to: files)
        try patch.field("failures", from: old.failures, to: failures)
        try patch.field("found", from: old.found, to: found)
        try patch.field("bytes", from: old.bytes, to: bytes)
        try patch.field("seconds", from: old.seconds, to: seconds)
        try patch.field("shares", from: old.shares, to: shares)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "phase": try patch.apply(to: &phase)
            case "files": try patch.apply(to: &files)
            case "failures": try patch.apply(to: &failures)
            case "found": try patch.apply(to: &found)
            case "bytes": try patch.apply(to: &bytes)
            case "seconds": try patch.apply(to: &seconds)
            case "shares": try patch.apply(to: &shares)
            default: throw patch.unknownField(name)
            }
        }
    }
}
