import Testing

@testable import LatticeJobs

/// What a job that begins again keeps of an attempt that counts for nothing.
@Suite struct JobRecordTests {
    private static func record() -> JobRecord {
        JobRecord(
            name: "job",
            input: [],
            options: JobOptions(),
            submitted: SubmittedJob(id: JobID(1), lines: JobLineBox())
        )
    }

    @Test("A job that was interrupted as often as it may be runs alone, and none of these attempts counts")
    func interruptions() {
        var record = Self.record()
        var companies: [JobCompany?] = []
        for _ in 1...JobPoolConfiguration.maximumInterruptions {
            record.attempts += 1
            companies.append(record.takeBack(.interrupted))
        }
        #expect(companies == [nil, nil, .alone] && record.attempts == 0)
        #expect(record.failures.isEmpty && record.endedWorkers == 0)
    }

    @Test(
        "A suspect runs alone from then on, and a job that has not begun runs as before",
        arguments: [(JobRepetition.suspected, JobCompany.alone), (.notBegun, nil)] as [(JobRepetition, JobCompany?)]
    )
    func repetitions(reason: JobRepetition, company: JobCompany?) {
        var record = Self.record()
        record.attempts = 5
        for _ in 1...3 {
            let result = record.takeBack(reason)
            #expect(result == company)
        }
        #expect(record.attempts == 2)
    }

    @Test("The number of jobs of a worker has bounds", arguments: [(0, false), (1, true), (64, true), (65, false)])
    func jobsPerWorker(number: Int, isValid: Bool) {
        let configuration = JobPoolConfiguration(jobsPerWorker: number)
        if isValid {
            #expect(throws: Never.self) { try configuration.check() }
        } else {
            let error = #expect(throws: JobError.self) { try configuration.check() }
            #expect(error?.code == .invalid)
        }
    }
}
