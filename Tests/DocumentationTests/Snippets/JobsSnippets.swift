import Foundation
import LatticeActors
import LatticeClient
import LatticeCoordinator
import LatticeCore
import LatticeJobs
import LatticeWorker

// The code of the catalogue of LatticeJobs.

func lineCount(of path: String) throws -> Int? {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/wc")
    process.arguments = ["-l", path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: bytes, as: UTF8.self).split(separator: " ").first.flatMap { Int($0) }
}

/// Stands for a function of a C library.
private func compressFile(_ path: String, _ onProgress: (Int64, Int64) -> Void) throws -> Int {
    let size = try Data(contentsOf: URL(filePath: path)).count
    onProgress(Int64(size), Int64(size))
    return size
}

struct Compress: Job {
    static let name = "compress"
    var path: String

    func run(in context: JobContext) async throws -> Int {
        try compressFile(path) { done, all in context.report(completedUnits: done, totalUnits: all) }
    }
}

enum JobsSnippets {
    static func main(_ paths: [String]) async throws {
        if let worker = Worker.launchedBySupervisor() {
            let system = LatticeActorSystem(worker)
            try system.host(jobs: Compress.self, in: worker.group)
            return try await worker.run()
        }
        var configuration = CoordinatorConfiguration()
        configuration.groups = [WorkerGroup("farm", workers: 4)]
        try await withCoordinator(configuration: configuration) { coordinator in
            let system = LatticeActorSystem(coordinator)
            try await system.withJobPool(of: "farm", in: coordinator) { farm in
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for path in paths { group.addTask { try await farm.run(Compress(path: path)) } }
                    for try await size in group { print(size) }
                }
            }
        }
    }

    static func program(_ path: String, _ farm: JobPool) async throws -> String {
        let result = try await farm.run(ProgramJob("xz", "-9k", path))
        print(result.exitCode, result.errorText)
        var job = ProgramJob("python3", arguments: ["-c", "import sys; print(len(sys.stdin.read()))"])
        job.input = .file(path)
        job.environment["LC_ALL"] = "C.UTF-8"
        let length = try await farm.run(job).outputText
        do {
            _ = try await farm.run(ProgramJob("grep", "-q", "milk", path))
        } catch let error as JobError where (error.cause as? ProgramError)?.exitCode == 1 {
            print("\(path) does not contain milk")
        }
        return length
    }

    static func leaking(_ coordinator: Coordinator) async throws {
        let configuration = JobPoolConfiguration(reuse: .jobs(100))
        try await LatticeActorSystem(coordinator)
            .withJobPool(of: "farm", in: coordinator, configuration: configuration) { farm in print(farm.counts) }
    }

    static func sharing(_ coordinator: Coordinator) async throws {
        let configuration = JobPoolConfiguration(jobsPerWorker: 4)
        try await LatticeActorSystem(coordinator)
            .withJobPool(of: "farm", in: coordinator, configuration: configuration) { farm in print(farm.counts) }
    }

    static func lines(_ farm: JobPool) async throws {
        let handle = try farm.submit(ProgramJob.shell("make -C \"$FOLDER\" 2>&1"))
        for await line in handle.lines {
            if line.omittedBefore > 0 { print("(\(line.omittedBefore) lines left out)") }
            print(line.text)
        }
    }

    static func remote(_ path: String, _ client: Client) async throws -> Int {
        let system = LatticeActorSystem(client)
        let farm = try await system.jobPool(of: "farm", within: .seconds(5))
        let size = try await farm.run(Compress(path: path)) { status in print(status.progress.fraction ?? 0) }
        return size
    }

    static func limited(_ path: String, _ farm: JobPool) async throws -> Int {
        let limits = JobLimits(wallTime: .seconds(60), memoryBytes: 512 << 20, silence: .seconds(10))
        let size = try await farm.run(Compress(path: path), options: JobOptions(limits: limits))
        return size
    }

    static func cancelled(_ path: String, _ farm: JobPool) throws {
        let handle = try farm.submit(Compress(path: path))
        handle.cancel()
    }

    static func followed(_ path: String, _ farm: JobPool) async throws -> Int {
        let handle = try farm.submit(Compress(path: path))
        for await status in handle.updates {
            let percent = Int(100 * (status.progress.fraction ?? 0))
            print("\(percent) %, \(status.unitsPerSecond ?? 0) bytes/s, \(status.remainingTime ?? .zero) left")
        }
        let size = try await handle.output
        return size
    }

    static func retried(_ path: String, _ farm: JobPool) async throws -> Int {
        let retries = JobRetries(attempts: 3, after: [.workerEnded, .workerLost])
        let size = try await farm.run(Compress(path: path), options: JobOptions(retries: retries))
        return size
    }

    static func setAside(_ farm: JobPool) throws {
        for job in farm.setAsideJobs {
            for failure in job.failures { print(job.id, failure, failure.report?.output ?? []) }
            try farm.drop(job.id)
        }
    }

    static func ordered(_ path: String, _ farm: JobPool) async throws -> Int {
        let options = JobOptions(priority: 1, key: path)
        let size = try await farm.run(Compress(path: path), options: options)
        return size
    }
}
