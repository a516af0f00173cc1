import Foundation
import LatticeActors
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeTestSupport
import Testing

@testable import LatticeJobs
@testable import actorhost

/// Tests jobs that are programs, and the lines that jobs print, in real workers.
@Suite(.serialized, .timeLimit(.minutes(10))) struct ProgramJobTests {
    private static func lines(of handle: JobHandle<ProgramJob>) async -> [JobOutputLine] {
        var lines: [JobOutputLine] = []
        for await line in handle.lines { lines.append(line) }
        return lines
    }

    @Test("A program gets its arguments, environment, directory and input, and its output is the result")
    func results() async throws {
        try await withTemporaryDirectory { directory in
            let folder = URL(fileURLWithPath: directory).resolvingSymlinksInPath().path
            let file = folder + "/file"
            try "in a file".write(toFile: file, atomically: true, encoding: .utf8)
            try await JobTests.withFarm(workers: 1) { farm, _ in
                let worker = try await farm.run(Drill(deed: .nothing))
                let echo = try await farm.run(ProgramJob("printf", "%s,", "a b", "$HOME", "é"))
                #expect(echo.outputText == "a b,$HOME,é,")
                #expect(echo.exitCode == 0 && echo.error.isEmpty && echo.omittedOutputBytes == 0)
                let shell = ProgramJob.shell("pwd; printf \"$KEY\"; cat; echo problem >&2")
                var settings = shell
                (settings.directory, settings.environment, settings.input) = (folder, ["KEY": "x=y"], .file("file"))
                let result = try await farm.run(settings)
                #expect(result.outputText == "\(folder)\nx=yin a file")
                #expect(result.errorText == "problem\n")
                let bytes = [UInt8](repeating: 7, count: 3_000_000)
                let cut = try await farm.run(
                    ProgramJob("cat", arguments: [], input: .bytes(bytes), maximumOutputBytes: 1_000_000)
                )
                #expect(cut.output == Array(bytes.prefix(1_000_000)) && cut.omittedOutputBytes == 2_000_000)
                // A program that does not read its input keeps nothing waiting.
                _ = try await farm.run(ProgramJob("true", arguments: [], input: .bytes(bytes)))
                let written = ProgramJob(
                    "cat",
                    arguments: [],
                    directory: folder,
                    input: .file(file),
                    output: .file("to")
                )
                let output = try await farm.run(written).output
                #expect(output.isEmpty)
                let copy = try String(contentsOfFile: folder + "/to", encoding: .utf8)
                #expect(copy == "in a file")
                let dropped = try await farm.run(ProgramJob("yes", arguments: ["--version"], output: .discarded))
                #expect(dropped.output.isEmpty)
                // No program has cost a worker.
                let last = try await farm.run(Drill(deed: .nothing))
                #expect(last == worker)
            }
        }
    }

    @Test("A program that does not succeed throws how it ended, with the end of its standard error")
    func failures() async throws {
        try await JobTests.withFarm(workers: 1) { farm, _ in
            let worker = try await farm.run(Drill(deed: .nothing))
            let rows: [(ProgramJob, ProgramError.Code, Int32?, Int32?, String)] = [
                (.shell("echo first >&2; echo no paper >&2; exit 3"), .exited, 3, nil, "no paper"),
                (.shell("kill -SEGV $$"), .signaled, nil, SIGSEGV, "SIGSEGV"),
                (.shell("kill -KILL $$"), .signaled, nil, SIGKILL, "SIGKILL"),
                (ProgramJob("no-such-program"), .notStarted, nil, nil, "PATH"),
                (ProgramJob("/no/such/program"), .notStarted, nil, nil, "/no/such/program"),
                (ProgramJob("cat", arguments: [], input: .file("/no/file")), .notStarted, nil, nil, "/no/file"),
                (ProgramJob("cat", arguments: [], directory: "/no/folder"), .notStarted, nil, nil, "directory"),
                (ProgramJob("false"), .exited, 1, nil, "false exited with code 1."),
            ]
            for (job, code, exitCode, signal, part) in rows {
                let error = await #expect(throws: JobError.self) { try await farm.run(job) }
                #expect(error?.code == .threw)
                let failure = try #require(error?.cause as? ProgramError, "\(String(describing: error))")
                #expect(failure.code == code && failure.exitCode == exitCode && failure.signal == signal)
                #expect(failure.message.contains(part), "\(failure.message)")
            }
            let partial = await #expect(throws: JobError.self) {
                try await farm.run(ProgramJob("sh", arguments: ["-c", "printf 12345; exit 3"], maximumOutputBytes: 3))
            }
            let output = partial?.cause as? ProgramError
            #expect(output?.outputText == "123" && output?.omittedOutputBytes == 2)
            var accepted = ProgramJob.shell("exit 3")
            accepted.successCodes = [0, 3]
            let code = try await farm.run(accepted).exitCode
            #expect(code == 3)
            let noisy = await #expect(throws: JobError.self) {
                try await farm.run(ProgramJob.shell("yes | head -c 100000 >&2; printf end >&2; exit 1"))
            }
            let error = (noisy?.cause as? ProgramError)?.error ?? []
            #expect(error.count == ProgramJob.maximumErrorBytes && error.suffix(3).elementsEqual("end".utf8))
            let last = try await farm.run(Drill(deed: .nothing))
            #expect(last == worker)
        }
    }

    @Test("A program that ignores SIGTERM ends with all of its processes when its job is cancelled, without its worker")
    func cancellation() async throws {
        try await JobTests.withFarm(workers: 1) { farm, _ in
            let worker = try await farm.run(Drill(deed: .nothing))
            // One process leaves the process group.
            let handle = try farm.submit(
                ProgramJob.shell(
                    "trap '' TERM; echo $$; sleep 1000 & echo $!; setsid sleep 1001 & echo $!; wait; wait"
                ),
                options: JobOptions(limits: JobLimits(gracePeriod: .seconds(20)))
            )
            var processes: [Int32] = []
            for await line in handle.lines {
                processes.append(try #require(Int32(line.text)))
                if processes.count == 3 { break }
            }
            for process in processes { #expect(isThere(process)) }
            handle.cancel()
            let error = await #expect(throws: JobError.self) { try await handle.output }
            #expect(error?.code == .cancelled)
            try await poll { !processes.contains(where: isThere) }
            let last = try await farm.run(Drill(deed: .nothing))
            #expect(last == worker)
        }
    }

    @Test("The end of a worker ends the program that it runs, and the job is run again")
    func killedWorker() async throws {
        let options = JobOptions(retries: JobRetries(attempts: 2, initialDelay: .zero, after: .workerLost))
        try await JobTests.withFarm(workers: 1, JobPoolConfiguration(options: options)) { farm, _ in
            let worker = try await farm.run(Drill(deed: .nothing))
            let handle = try farm.submit(ProgramJob.shell("echo $$; sleep 1000; echo end"))
            var processes: [Int32] = []
            for await line in handle.lines {
                processes.append(try #require(Int32(line.text)))
                if processes.count == 1 { kill(worker, SIGKILL) } else { break }
            }
            #expect(handle.status.phase == .running(attempt: 2))
            try await poll { !isThere(processes[0]) }
            handle.cancel()
            _ = await #expect(throws: JobError.self) { try await handle.output }
            try await poll { !isThere(processes[1]) }
        }
    }

    @Test(
        "The limits of a job count its program",
        arguments: [
            (ProgramJob("sleep", "1000"), JobLimits(wallTime: .milliseconds(300)), "wall time"),
            (.shell("while :; do :; done"), JobLimits(cpuTime: .milliseconds(300)), "CPU time"),
            (ProgramJob("tail", arguments: [], input: .file("/dev/zero")), JobLimits(memoryBytes: 256 << 20), "memory"),
            (.shell("echo once; sleep 1000"), JobLimits(silence: .milliseconds(400)), "silence"),
        ]
    )
    func limits(job: ProgramJob, limits: JobLimits, name: String) async throws {
        try await JobTests.withFarm(workers: 1) { farm, _ in
            let error = await #expect(throws: JobError.self) {
                try await farm.run(job, options: JobOptions(limits: limits))
            }
            #expect(error?.code == .limit)
            guard case .limit(let passed) = error?.failures.first?.cause else {
                Issue.record("another cause: \(String(describing: error))")
                return
            }
            #expect(passed.name == name)
            let code = try await farm.run(ProgramJob("true")).exitCode
            #expect(code == 0)
        }
    }

    @Test("A program that has removed all marks from its environment ends at its limit")
    func limitWithoutMarks() async throws {
        try await JobTests.withFarm(workers: 1) { farm, _ in
            let handle = try farm.submit(
                ProgramJob.shell("echo $$; exec env -i sleep 1000"),
                options: JobOptions(limits: JobLimits(wallTime: .seconds(5)))
            )
            var process: Int32?
            for await line in handle.lines { process = Int32(line.text) }
            let error = await #expect(throws: JobError.self) { try await handle.output }
            #expect(error?.code == .limit && error?.failures.first?.endedWorker == true)
            let program = try #require(process)
            try await poll { !isThere(program) }
        }
    }

    @Test("A process that does not know the number of an attempt changes nothing of it")
    func guessedNumbers() async throws {
        try await withSocketPath { path in
            try await JobTests.withFarm(workers: 1, listeningAt: path) { farm, _ in
                let handle = try farm.submit(Drill(deed: .wait))
                for await status in handle.updates where status.progress.line != nil { break }
                try await withClient(connectingTo: path) { client in
                    let system = LatticeActorSystem(client)
                    let name = JobActorNames.desk(of: "farm")
                    let desk = try await system.resolve(JobDesk.self, named: name, within: .seconds(60))
                    for number in UInt64(0)...32 {
                        try await desk.printed(number, [JobOutputLine("forged", to: .output)])
                        try await desk.progressed(number, JobProgress(line: "forged"), 1000)
                        try await desk.started(number, 1)
                    }
                }
                #expect(handle.status.progress.line == "waiting")
                handle.cancel()
                for await line in handle.lines { Issue.record("\(line)") }
            }
        }
    }

    @Test("Output without a line break is a sign of life")
    func lifeWithoutLines() async throws {
        try await JobTests.withFarm(workers: 1) { farm, _ in
            let dots = ProgramJob.shell("for i in 1 2 3 4 5 6 7 8 9 10; do printf .; sleep 0.4; done")
            let options = JobOptions(limits: JobLimits(silence: .seconds(3)))
            let result = try await farm.run(dots, options: options)
            #expect(result.outputText == "..........")
        }
    }

    @Test("Lines arrive while the program runs, each from its own stream, and end with the job")
    func lines() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory + "/fifo"
            #expect(mkfifo(path, 0o600) == 0)
            try await JobTests.withFarm(workers: 1) { farm, _ in
                var job = ProgramJob.shell("echo one; read x < \"$FIFO\"; echo \"$x\" >&2; printf end")
                job.environment["FIFO"] = path
                let handle = try farm.submit(job)
                var found: [JobOutputLine] = []
                for await line in handle.lines {
                    found.append(line)
                    // The program waits for this.
                    if found.count == 1 { try "two\n".write(toFile: path, atomically: false, encoding: .utf8) }
                }
                #expect(found.map(\.text) == ["one", "two", "end"])
                #expect(found.map(\.stream) == [.output, .error, .output])
                #expect(found.allSatisfy { !$0.isCut && $0.omittedBefore == 0 })
                let text = try await handle.output.outputText
                #expect(text == "one\nend")
                // A reader that comes later gets the same.
                #expect(await Self.lines(of: handle) == found)
            }
        }
    }

    @Test("A flood of lines delays nothing: the last lines are kept, those left out are counted, and long ones are cut")
    func flood() async throws {
        try await JobTests.withFarm(workers: 1) { farm, _ in
            let handle = try farm.submit(ProgramJob.shell("seq 300000; head -c 5000 /dev/zero | tr '\\0' x; echo"))
            let result = try await handle.output
            #expect(result.omittedOutputBytes > 0 && result.output.count == ProgramJob.defaultMaximumOutputBytes)
            let lines = await Self.lines(of: handle)
            #expect(lines.count == JobOutputLine.maximumLines)
            #expect(lines.reduce(0) { $0 + $1.omittedBefore + 1 } == 300_001)
            #expect(lines.last?.text == String(repeating: "x", count: JobOutputLine.maximumBytes))
            #expect(lines.last?.isCut == true)
            #expect(lines.dropLast().last?.text == "300000")
        }
    }

    @Test("A Swift job prints lines too, and a client receives the lines of its job")
    func linesOfOthers() async throws {
        try await withSocketPath { path in
            try await JobTests.withFarm(listeningAt: path) { pool, _ in
                let handle = try pool.submit(Drill(deed: .print(3)))
                var own: [String] = []
                for await line in handle.lines { own.append("\(line.stream) \(line.text)") }
                #expect(own == ["output line 1", "output line 2", "output line 3", "error end"])
                try await withClient(connectingTo: path) { client in
                    let farm = try await LatticeActorSystem(client).jobPool(of: "farm", within: .seconds(60))
                    let lines = Watched<[String]>([])
                    let result = try await farm.run(ProgramJob.shell("echo a; echo b >&2")) { _ in
                    } onLine: { line in
                        lines.change { $0.append(line.text) }
                    }
                    #expect(result.outputText == "a\n")
                    #expect(lines.value.sorted() == ["a", "b"])
                    let failed = await #expect(throws: JobError.self) { try await farm.run(ProgramJob("false")) }
                    #expect((failed?.cause as? ProgramError)?.exitCode == 1)
                }
            }
        }
    }

    @Test("The lines of a job that hangs are there after its limit, although they had no reader before")
    func linesOfHangingJob() async throws {
        try await JobTests.withFarm(workers: 1) { farm, _ in
            let options = JobOptions(limits: JobLimits(wallTime: .milliseconds(300)))
            // A worker that does not answer in time is ended with its lines, which a busy machine may cause.
            for attempt in 1...20 {
                let handle = try farm.submit(ProgramJob.shell("echo reason; sleep 1000"), options: options)
                let error = await #expect(throws: JobError.self) { try await handle.output }
                #expect(error?.code == .limit)
                let lines = await Self.lines(of: handle).map(\.text)
                if lines == ["reason"] { return }
                #expect(lines.isEmpty && attempt < 20, "\(lines)")
            }
        }
    }

    @Test("A job of a client that is refused ends at once, although the client follows it")
    func refusedJobOfClient() async throws {
        try await withSocketPath { path in
            try await JobTests.withFarm(workers: 1, listeningAt: path) { _, _ in
                try await withClient(connectingTo: path) { client in
                    let farm = try await LatticeActorSystem(client).jobPool(of: "farm", within: .seconds(60))
                    let (job, options) = (ProgramJob("true"), JobOptions(limits: JobLimits(memoryBytes: 1)))
                    let start = ContinuousClock.now
                    for _ in 1...3 {
                        let error = await #expect(throws: JobError.self) {
                            try await farm.run(job, options: options, onUpdate: { _ in }, onLine: { _ in })
                        }
                        #expect(error?.code == .invalid)
                    }
                    // The pool would wait as long for each request to follow a job.
                    #expect(start.duration(to: .now) < .seconds(30))
                }
            }
        }
    }

    @Test("A worker is replaced after its jobs or above its memory, between two jobs, and no death counts")
    func reuse() async throws {
        try await JobTests.withFarm(workers: 1, JobPoolConfiguration(reuse: .jobs(3))) { farm, _ in
            var processes: [Int32] = []
            for _ in 1...7 { processes.append(try await farm.run(Drill(deed: .nothing))) }
            #expect(Set(processes[0...2]).count == 1 && Set(processes[3...5]).count == 1)
            #expect(Set(processes).count == 3)
            try await poll { !isThere(processes[0]) && !isThere(processes[3]) }
        }
        try await JobTests.withFarm(workers: 1, JobPoolConfiguration(reuse: .memory(bytes: 512 << 20))) { farm, _ in
            let first = try await farm.run(Drill(deed: .nothing))
            let leaking = try await farm.run(Drill(deed: .leak(600)))
            let next = try await farm.run(Drill(deed: .nothing))
            #expect(first == leaking && next != leaking)
        }
    }

    @Test("A paused pool starts no job, and runs all of them when it is resumed")
    func pause() async throws {
        try await JobTests.withFarm { farm, _ in
            let running = try farm.submit(Drill(deed: .wait))
            for await status in running.updates where status.phase == .running(attempt: 1) { break }
            farm.pause()
            #expect(farm.isPaused)
            let handles = try (0..<5).map { _ in try farm.submit(Drill(deed: .nothing)) }
            running.cancel()
            _ = await #expect(throws: JobError.self) { try await running.output }
            #expect(farm.counts.waiting == 5 && farm.counts.running == 0)
            farm.resume()
            for handle in handles { _ = try await handle.output }
        }
    }
}
