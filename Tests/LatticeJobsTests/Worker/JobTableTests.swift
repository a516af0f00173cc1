import LatticeActors
import LatticeCoding
import LatticeConcurrency
import Testing

@testable import LatticeJobs

private struct Double: Job {
    static let name = "double"
    var number: Int

    func run(in context: JobContext) async throws -> Int {
        context.report(fraction: 0.5, line: "attempt \(context.attempt)")
        return 2 * number
    }
}

private struct Namesake: Job {
    static let name = "double"

    func run(in context: JobContext) async throws -> Int { 0 }
}

private struct Failing: Job {
    struct Failure: Error, Codable, Equatable { let text: String }

    static let name = "failing"
    var text: String

    func run(in context: JobContext) async throws -> Int { throw Failure(text: text) }
}

@Suite(.timeLimit(.minutes(10))) struct JobTableTests {
    private static func run<J: Job>(_ job: J, as name: String? = nil, in system: LatticeActorSystem) async throws
        -> JobReply
    {
        var table = JobTable()
        #expect([Double.self, Failing.self].allSatisfy { (type: any Job.Type) in table.add(type) })
        let order = JobOrder(
            number: 1,
            job: 1,
            name: name ?? J.name,
            attempt: 2,
            gracePeriod: 2_000_000_000,
            input: try CBOREncoder().encode(job)
        )
        let reports = JobReports { _, _ in }
        return await table.run(order, JobContext(job: JobID(1), attempt: 2, reports: reports), reports, system)
    }

    @Test("A job is found by its name, and its last progress is returned with its output")
    func runs() async throws {
        guard case .returned(let output, let progress) = try await Self.run(Double(number: 21), in: .init()) else {
            Issue.record("the job did not return")
            return
        }
        #expect(try CBORDecoder().decode(Int.self, from: output) == 42)
        #expect(progress == JobProgress(fraction: 0.5, line: "attempt 2"))
    }

    @Test("A job that the worker does not host, or cannot decode, is refused", arguments: ["unknown", "failing"])
    func refused(name: String) async throws {
        guard case .refused = try await Self.run(Double(number: 1), as: name, in: .init()) else {
            Issue.record("the job ran")
            return
        }
    }

    @Test("An error keeps its description, which is cut off, and its value if its type is registered")
    func errors() async throws {
        let system = LatticeActorSystem()
        let text = String(repeating: "a", count: 10_000)
        guard case .threw(let unknown, nil) = try await Self.run(Failing(text: text), in: system) else {
            Issue.record("the job did not throw")
            return
        }
        #expect(unknown.type == "Failure" && unknown.text.utf8.count == ThrownError.maximumText)
        #expect(unknown.encoded == nil)
        system.register(errors: Failing.Failure.self)
        guard case .threw(let known, nil) = try await Self.run(Failing(text: "no ink"), in: system) else {
            Issue.record("the job did not throw")
            return
        }
        let error = known.encoded.flatMap { system.errorIfRegistered(named: known.name, $0) }
        #expect(error as? Failing.Failure == Failing.Failure(text: "no ink"))
    }

    @Test("Two types with one name are refused")
    func names() {
        let error = #expect(throws: JobError.self) {
            try LatticeActorSystem().host(jobs: Double.self, Namesake.self, in: "farm")
        }
        #expect(error?.code == .invalid)
    }
}
