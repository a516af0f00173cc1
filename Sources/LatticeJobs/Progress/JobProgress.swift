/// The progress that a job reports.
public struct JobProgress: Sendable, Hashable {
    /// The completed part of the work, from 0 to 1, or nil if it is not known.
    public var fraction: Double?
    /// The number of completed units, such as bytes or files, or nil if the job counts none.
    public var completedUnits: Int64?
    /// The number of all units, or nil if it is not known.
    public var totalUnits: Int64?
    /// A line of text for people, of at most ``maximumLineBytes`` bytes of UTF-8. A longer line is cut off.
    public var line: String?

    /// The maximum size of ``line``: 1,024 bytes.
    public static var maximumLineBytes: Int { 1024 }

    /// Creates a report. If units are given and no fraction, the fraction follows from the units.
    ///
    /// - Parameters:
    ///   - fraction: The completed part of the work. A value outside of 0 to 1 is moved to the nearer bound, and a
    ///     value that is not a number is ignored.
    ///   - completedUnits: The number of completed units. A negative number becomes 0.
    ///   - totalUnits: The number of all units. A number below 1 is ignored.
    ///   - line: A line of text for people.
    public init(
        fraction: Double? = nil,
        completedUnits: Int64? = nil,
        totalUnits: Int64? = nil,
        line: String? = nil
    ) {
        self.completedUnits = completedUnits.map { max($0, 0) }
        self.totalUnits = totalUnits.flatMap { $0 > 0 ? $0 : nil }
        let ofUnits = self.completedUnits.flatMap { completed in
            self.totalUnits.map { Double(completed) / Double($0) }
        }
        self.fraction = (fraction ?? ofUnits).flatMap { $0.isNaN ? nil : min(max($0, 0), 1) }
        self.line = line.map(Self.cut)
    }

    /// Adds a later report. What the later one does not say stays as it was.
    mutating func merge(_ later: JobProgress) {
        fraction = later.fraction ?? fraction
        completedUnits = later.completedUnits ?? completedUnits
        totalUnits = later.totalUnits ?? totalUnits
        line = later.line ?? line
    }

    private static func cut(_ line: String) -> String {
        guard line.utf8.count > maximumLineBytes else { return line }
        var end = line.utf8.index(line.startIndex, offsetBy: maximumLineBytes)
        // The end of the last whole character.
        while end.samePosition(in: line) == nil { end = line.utf8.index(before: end) }
        return String(line[..<end])
    }
}

extension JobProgress: Codable {
    private enum CodingKeys: String, CodingKey {
        case fraction, completedUnits, totalUnits, line
    }

    /// Decodes a report of another process. Invalid values are replaced, as in a report of this one.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            fraction: try container.decodeIfPresent(Double.self, forKey: .fraction),
            completedUnits: try container.decodeIfPresent(Int64.self, forKey: .completedUnits),
            totalUnits: try container.decodeIfPresent(Int64.self, forKey: .totalUnits),
            line: try container.decodeIfPresent(String.self, forKey: .line)
        )
    }
}

/// The phase and the progress of a job, as its pool knows them.
public struct JobStatus: Sendable, Hashable, Codable {
    /// The phase of a job.
    public enum Phase: Sendable, Hashable, Codable {
        /// The job waits for a worker.
        case waiting
        /// The job runs. The value is the number of the attempt, from 1.
        case running(attempt: Int)
        /// An attempt failed. The job waits for this time, and then for a worker.
        case retrying(after: Duration)
        /// The job has an output.
        case succeeded
        /// The job failed, was cancelled, or was set aside.
        case failed
    }

    /// The phase of the job.
    public var phase: Phase
    /// The newest progress of the present or last attempt.
    public var progress: JobProgress
    /// The number of units that are completed in a second, or nil if it is not known yet.
    public var unitsPerSecond: Double?
    /// The time until the job is complete if it continues at the present rate, or nil if it is not known yet.
    public var remainingTime: Duration?

    init(phase: Phase = .waiting) {
        self.phase = phase
        progress = JobProgress()
    }
}
