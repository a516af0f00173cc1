import ExampleSupport
import LatticeCore

/// The checksums so far. They are enough for another worker to continue.
struct ChecksumsState: Codable, Equatable, Sendable {
    enum Phase: String, Codable, Sendable {
        case idle, hashing, finished, cancelled, failed

        var isFinal: Bool { self == .finished || self == .cancelled || self == .failed }
    }

    /// The files to hash that the walk of the current worker has found.
    struct Found: Codable, Equatable, Sendable {
        var files = 0
        var bytes: UInt64 = 0
        /// A Boolean value that indicates whether the walk is complete.
        var isAll = false
    }

    /// The work that one hasher has done.
    struct Share: Codable, Equatable, Sendable {
        var files = 0
        var bytes: UInt64 = 0
        /// The time of the hasher's last message, counted in messages.
        var moment = 0
    }

    var phase = Phase.idle
    /// The reason why the job failed.
    var reason: String?
    var request: HashRequest?
    private(set) var files: StateDictionary<PathKey, Checksum> = [:]
    /// The reasons why some files have no checksum.
    private(set) var failures: StateDictionary<PathKey, String> = [:]
    /// The bytes of the hashed files.
    private(set) var hashedBytes: UInt64 = 0
    var found = Found()
    /// The bytes that have been read of the batch of each lane.
    private(set) var reading: [Int: UInt64] = [:]
    /// The work of the hashers by their processes. Of the killed ones, only the latest are kept.
    private(set) var shares: StateDictionary<Int32, Share> = [:]
    private var moment = 0
    /// The seconds that earlier workers took.
    private var pastSeconds = 0.0
    /// The seconds that all workers took, including the current one.
    private(set) var seconds = 0.0

    var bytes: UInt64 { hashedBytes + reading.values.reduce(0, +) }

    init() {}
}

// MARK: Changes

extension ChecksumsState {
    /// Prepares the state for another worker, which continues.
    mutating func beginAgain() {
        reading = [:]
        found = Found()
        pastSeconds = seconds
    }

    mutating func read(_ bytes: UInt64, for lane: Int, by process: Int32, at seconds: Double) {
        reading[lane] = bytes
        updateShare(of: process) { _ in }
        self.seconds = pastSeconds + seconds
    }

    mutating func add(_ batch: HashedBatch, from lane: Int, at seconds: Double) {
        for file in batch.files { files[PathKey(file.path)] = file.checksum }
        hashedBytes += batch.bytes
        add(batch.failures, from: lane)
        updateShare(of: batch.process) { share in
            share.files += batch.files.count
            share.bytes += batch.bytes
        }
        self.seconds = pastSeconds + seconds
    }

    mutating func add(_ new: [Failure], from lane: Int) {
        reading[lane] = nil
        for failure in new { failures[PathKey(failure.path)] = failure.reason }
    }

    /// Ends the job. No batch is in progress any more.
    mutating func end(_ phase: Phase, _ reason: String? = nil) {
        self.phase = phase
        self.reason = reason
        reading = [:]
    }

    private mutating func updateShare(of process: Int32, _ change: (inout Share) -> Void) {
        moment += 1
        shares[process, default: Share()].moment = moment
        change(&shares[process, default: Share()])
        // A killed hasher sends no more messages, so the one with the oldest message is removed.
        guard let request, shares.count > 2 * request.workers else { return }
        if let oldest = shares.min(by: { $0.value.moment < $1.value.moment }) { shares[oldest.key] = nil }
    }
}

// MARK: Patches

/// A patch contains only the changes: the files of a batch, and not all files.
extension ChecksumsState: Patchable {
    func encodePatch(from old: ChecksumsState, to patch: inout PatchEncoder) throws {
        try patch.field("phase", from: old.phase, to: phase)
        try patch.field("reason", from: old.reason, to: reason)
        try patch.field("request", from: old.request, to: request)
        try patch.field("files", from: old.files, to: files)
        try patch.field("failures", from: old.failures, to: failures)
        try patch.field("hashedBytes", from: old.hashedBytes, to: hashedBytes)
        try patch.field("found", from: old.found, to: found)
        try patch.field("reading", from: old.reading, to: reading)
        try patch.field("shares", from: old.shares, to: shares)
        try patch.field("moment", from: old.moment, to: moment)
        try patch.field("pastSeconds", from: old.pastSeconds, to: pastSeconds)
        try patch.field("seconds", from: old.seconds, to: seconds)
    }

    mutating func apply(_ patch: inout PatchDecoder) throws {
        try patch.fields { name, patch in
            switch name {
            case "phase": try patch.apply(to: &phase)
            case "reason": try patch.apply(to: &reason)
            case "request": try patch.apply(to: &request)
            case "files": try patch.apply(to: &files)
            case "failures": try patch.apply(to: &failures)
            case "hashedBytes": try patch.apply(to: &hashedBytes)
            case "found": try patch.apply(to: &found)
            case "reading": try patch.apply(to: &reading)
            case "shares": try patch.apply(to: &shares)
            case "moment": try patch.apply(to: &moment)
            case "pastSeconds": try patch.apply(to: &pastSeconds)
            case "seconds": try patch.apply(to: &seconds)
            default: throw patch.unknownField(name)
            }
        }
    }
}
