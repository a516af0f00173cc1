import LatticeCore

/// What can happen to a tally.
enum TallyAction: Codable, Sendable {
    // From people.
    case scan(ScanRequest)
    case pause
    case resume
    case cancel

    // From the coordinator, after a worker died.
    case recover(Interruption)

    // From effects.
    /// The walk has found so many files in all, and could not read these directories.
    case found(files: Int, unreadable: [TallyState.Failure], isComplete: Bool)
    /// A lane takes files to count; none: there are no more.
    case claimed(lane: Int, paths: PackedPaths?)
    /// A lane is in the middle of large files and has read so many bytes of its claim.
    case progressed(lane: Int, bytes: UInt64, seconds: Double)
    /// A lane has counted its claim, and goes on with `next` if it could have that without waiting.
    case counted(lane: Int, CountedFiles, next: PackedPaths?)
    /// A file that was suspected of killing workers was counted alone.
    case isolated(CountedFiles)
}

/// What to count.
struct ScanRequest: Codable, Sendable, Equatable {
    /// The path of the directory or file, in the bytes that the file system has.
    var root: [UInt8]
    /// A pattern of names or relative paths on which the worker traps, to try what happens then.
    var crashOn: String?
}

/// What an effect brings back.
struct CountedFiles: Codable, Sendable {
    /// Of all files, in the order of their paths.
    var counts = PackedCounts()
    /// Those that could be counted, and their bytes.
    var files = 0
    var bytes: UInt64 = 0
    var failures: [TallyState.Failure] = []
    /// Since this worker began, without pauses, for the rate.
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

/// One counted file. The path is relative to the root, in the bytes that the file system has.
struct FileCount: Codable, Sendable, Equatable {
    var path: [UInt8]
    var lines: UInt64 = 0
    var words: UInt64 = 0
    var bytes: UInt64 = 0
}
