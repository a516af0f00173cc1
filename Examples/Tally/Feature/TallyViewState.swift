import ExampleSupport
import LatticeCore

/// The part of a tally that a screen shows.
struct TallyViewState: Codable, Equatable, Sendable {
    struct Failure: Codable, Equatable, Sendable {
        var path: String
        var reason: String
    }

    /// The number of the newest failures that are shown.
    static let shownFailures = 5

    var phase: TallyState.Phase = .idle
    var filesDone = 0
    var filesFound = 0
    /// A Boolean value that indicates whether `filesFound` includes all files.
    var isWalked = false
    var bytes: UInt64 = 0
    /// The seconds of counting by all workers, without pauses.
    var seconds: Double = 0
    var workerProcessID: Int32 = 0
    var incarnation = 0
    var failureCount = 0
    var newestFailures: [Failure] = []
}

extension TallyViewState: Patchable {
    func encodePatch(from old: TallyViewState, to patch: inout PatchEncoder) throws {
        try patch.field("phase", from: old.phase, to: phase)
        try patch.field("filesDone", from: old.filesDone, to: filesDone)
        try patch.field("filesFound", from: old.filesFound, to: filesFound)
        try patch.field("isWalked", from: old.isWalked, to: isWalked)
        try patch.field("bytes", from: old.bytes, to: bytes)
        try patch.field("seconds", from: old.seconds, to: seconds)
        try patch.field("workerProcessID", from: old.workerProcessID, to: workerProcessID)
        try patch.field("incarnation", from: old.incarnation, to: incarnation)
        try patch.field("failureCount", from: old.failureCount, to: failureCount)
        try patch.field("newestFailures", from: old.newestFailures, to: newestFailures)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "phase": try patch.apply(to: &phase)
            case "filesDone": try patch.apply(to: &filesDone)
            case "filesFound": try patch.apply(to: &filesFound)
            case "isWalked": try patch.apply(to: &isWalked)
            case "bytes": try patch.apply(to: &bytes)
            case "seconds": try patch.apply(to: &seconds)
            case "workerProcessID": try patch.apply(to: &workerProcessID)
            case "incarnation": try patch.apply(to: &incarnation)
            case "failureCount": try patch.apply(to: &failureCount)
            case "newestFailures": try patch.apply(to: &newestFailures)
            default: throw patch.unknownField(name)
            }
        }
    }
}

extension TallyViewState: ProgressViewState {
    var phaseText: String { phase.rawValue }
    var isFinal: Bool { phase.isFinal }
    var isTotalKnown: Bool { isWalked }

    var share: Double {
        guard phase != .finished else { return 1 }
        return filesFound > 0 ? Double(filesDone) / Double(filesFound) : 0
    }

    var parts: [String] {
        var parts = ["\(filesDone)/\(filesFound)\(isWalked ? "" : "+") files", NumberText.size(bytes)]
        if failureCount > 0 { parts.append("\(failureCount) failed") }
        return parts
    }
}
