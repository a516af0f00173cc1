import LatticeCoding

/// An attempt of a job, as the pool sends it to a worker.
///
/// This and ``JobReply`` are coded for every job, so they are `WireCodable`. By their `Codable` code they took a sixth
/// of the processor time of an empty job.
struct JobOrder: Equatable, Sendable {
    /// The random number of the attempt, which only its worker and its pool know. Reports about the attempt have it.
    let number: UInt64
    /// The number of the job.
    let job: UInt64
    /// The name of the job.
    let name: String
    /// The number of the attempt among those of the job, from 1.
    let attempt: Int
    /// The time that the job has to end after it was cancelled, in nanoseconds.
    let gracePeriod: Int64
    /// Whether the job has a limit of silence, so that each line that it prints, and each output of its program, is a
    /// sign of life.
    var isSilenceLimited = false
    /// Whether the lines of the job are read.
    var lines = LineReading.later
    /// Whether another attempt may be sent ahead while this one runs.
    var mayBeFollowed = false
    /// The number of the attempt that was sent to the worker before, after whose end this one begins. Nil if it begins
    /// when it arrives.
    var after: UInt64?
    /// The encoded job.
    let input: [UInt8]
}

extension JobOrder: WireCodable {
    init(from reader: inout CBORReader) throws {
        var map = try reader.decodeMap()
        job = try map.decode(forKey: "job")
        name = try map.decode(forKey: "name")
        after = try map.decodeIfPresent(forKey: "after")
        input = try map.decode(forKey: "input")
        lines = try map.decode(forKey: "lines")
        number = try map.decode(forKey: "number")
        attempt = try map.decode(forKey: "attempt")
        gracePeriod = try map.decode(forKey: "gracePeriod")
        mayBeFollowed = try map.decode(forKey: "mayBeFollowed")
        isSilenceLimited = try map.decode(forKey: "isSilenceLimited")
        try reader.end(map)
    }

    func encode(to writer: inout CBORWriter) throws {
        try writer.encodeMap { map in
            try map.encode(job, forKey: "job")
            try map.encode(name, forKey: "name")
            try map.encodeIfPresent(after, forKey: "after")
            try map.encode(input, forKey: "input")
            try map.encode(lines, forKey: "lines")
            try map.encode(number, forKey: "number")
            try map.encode(attempt, forKey: "attempt")
            try map.encode(gracePeriod, forKey: "gracePeriod")
            try map.encode(mayBeFollowed, forKey: "mayBeFollowed")
            try map.encode(isSilenceLimited, forKey: "isSilenceLimited")
        }
    }
}

/// How an attempt ended in its worker.
enum JobReply: Equatable, Sendable {
    /// The job returned an output, which is encoded.
    case returned([UInt8], JobProgress?)
    /// The job threw an error.
    case threw(ThrownError, JobProgress?)
    /// The job could not be run, or its output cannot be encoded, for the reason in this clause.
    case refused(String)
    /// The attempt was sent ahead, and was taken back before it began.
    case takenBack
}

extension JobReply: WireCodable {
    /// The values of the case `returned`, with the keys of a synthesized `Codable` conformance.
    private struct Returned: WireCodable {
        private enum CodingKeys: String, CodingKey {
            case output = "_0"
            case progress = "_1"
        }

        let output: [UInt8]
        let progress: JobProgress?

        init(_ output: [UInt8], _ progress: JobProgress?) {
            self.output = output
            self.progress = progress
        }

        init(from reader: inout CBORReader) throws {
            var map = try reader.decodeMap()
            output = try map.decode(forKey: "_0")
            progress = try map.decodeIfPresent(forKey: "_1")
            try reader.end(map)
        }

        func encode(to writer: inout CBORWriter) throws {
            try writer.encodeMap { map in
                try map.encode(output, forKey: "_0")
                try map.encodeIfPresent(progress, forKey: "_1")
            }
        }
    }

    /// The values of the case `threw`.
    private struct Threw: Codable {
        private enum CodingKeys: String, CodingKey {
            case error = "_0"
            case progress = "_1"
        }

        let error: ThrownError
        let progress: JobProgress?
    }

    /// The value of the case `refused`.
    private struct Refused: Codable {
        private enum CodingKeys: String, CodingKey {
            case reason = "_0"
        }

        let reason: String
    }

    init(from reader: inout CBORReader) throws {
        var map = try reader.decodeMap()
        if let value = try map.decodeIfPresent(Returned.self, forKey: "returned") {
            self = .returned(value.output, value.progress)
        } else if let value = try map.decodeIfPresent(Threw.self, forKey: "threw") {
            self = .threw(value.error, value.progress)
        } else if try map.decodeIfPresent(Bool.self, forKey: "takenBack") != nil {
            self = .takenBack
        } else {
            self = .refused(try map.decode(Refused.self, forKey: "refused").reason)
        }
        try reader.end(map)
    }

    func encode(to writer: inout CBORWriter) throws {
        try writer.encodeMap { map in
            switch self {
            case .returned(let output, let progress): try map.encode(Returned(output, progress), forKey: "returned")
            case .threw(let error, let progress):
                try map.encode(Threw(error: error, progress: progress), forKey: "threw")
            case .refused(let reason): try map.encode(Refused(reason: reason), forKey: "refused")
            case .takenBack: try map.encode(true, forKey: "takenBack")
            }
        }
    }
}

/// An error that a job threw.
struct ThrownError: Codable, Equatable, Sendable {
    /// The maximum size of `text`, in bytes of UTF-8.
    static let maximumText = 4096

    /// The name of the type, such as "Missing".
    let type: String
    /// The name of the type including its module, by which it is registered.
    let name: String
    /// The description of the error.
    let text: String
    /// The encoded error, or nil if its type is not registered.
    let encoded: [UInt8]?
}

/// The names under which actors of this module are hosted.
enum JobActorNames {
    /// The name of the runners in the workers of a group.
    static func runner(in group: String) -> String { "lattice.jobs.runner/\(group)" }
    /// The name of the desk of the pool of a group.
    static func desk(of group: String) -> String { "lattice.jobs.desk/\(group)" }
}
