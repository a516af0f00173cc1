import LatticeCore

/// An action of a tally.
enum TallyAction: Codable, Sendable {
    // Actions of the user.
    case scan(ScanRequest)
    case pause
    case resume
    case cancel

    // The action after a worker has died.
    case recover(Interruption)

    // Actions of effects.
    /// The walk has found this many files in total, and could not read these directories.
    case found(files: Int, unreadable: [TallyState.Failure], isComplete: Bool)
    /// A lane takes files to count, or nil if there are no more.
    case claimed(lane: Int, paths: PackedPaths?)
    /// A lane is counting large files, and has read this many bytes of its claim.
    case progressed(lane: Int, bytes: UInt64, seconds: Double)
    /// A lane has counted its claim. It continues with `next` if that was available without waiting.
    case counted(lane: Int, CountedFiles, next: PackedPaths?)
    /// A file that may have killed a worker was counted alone.
    case isolated(CountedFiles)
}

/// The files to count.
struct ScanRequest: Codable, Sendable, Equatable {
    /// The path of the directory or file, in the bytes of the file system.
    var root: [UInt8]
    /// A pattern of names or relative paths on which the worker crashes, for demonstrations.
    var crashOn: String?
}

/// The result of an effect.
struct CountedFiles: Codable, Sendable {
    /// The counts of all files, sorted by path.
    var counts = PackedCounts()
    /// The number of files that could be counted.
    var files = 0
    /// The bytes of the files that could be counted.
    var bytes: UInt64 = 0
    var failures: [TallyState.Failure] = []
    /// The seconds since this worker began, without pauses.
    var seconds: Double = 0

    mutating func append(_ file: FileCount) {
        counts.append(file)
        files += 1
        bytes += file.bytes
    }

    mutating func append(_ failure: TallyState.Failure) {
        counts.appendFailure()
        failures.append(failure)
    }
}

/// A counted file. The path is relative to the root, in the bytes of the file system.
struct FileCount: Codable, Sendable, Equatable {
    var path: [UInt8]
    var lines: UInt64 = 0
    var words: UInt64 = 0
    var bytes: UInt64 = 0
}
