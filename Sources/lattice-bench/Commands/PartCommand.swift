import ArgumentParser
import Glibc
import LatticeCoordinator
import LatticeCore

/// `lattice-bench part`: commands that benches run in other processes. They are not meant for users.
struct PartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "part",
        abstract: "Runs a part of a bench in another process.",
        shouldDisplay: false,
        subcommands: [
            CoordinatePartCommand.self, LoadPartCommand.self, LookPartCommand.self, MisbehavePartCommand.self,
            NeighbourPartCommand.self,
        ]
    )
}

/// `lattice-bench part misbehave`: misbehaves once.
struct MisbehavePartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "misbehave")

    @Argument var misbehaviour: Misbehaviour

    func run() { misbehaviour.begin() }
}

/// `lattice-bench part load`: a process that misbehaves, and that is started again when it has ended, like a worker.
struct LoadPartCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "load")

    @Argument var misbehaviour: Misbehaviour

    func run() throws {
        try OtherProcess.greet("ready")
        while true {
            let start = SuspendingClock.now
            let process = try OtherProcess.start("/proc/self/exe", "part", "misbehave", misbehaviour.rawValue)
            waitpid(process, nil, 0)
            let left = Misbehaviour.pace - start.duration(to: .now)
            usleep(UInt32(max(0, left / .microseconds(1))))
        }
    }
}

/// `lattice-bench part neighbour`: runs a coordinator whose worker misbehaves.
struct NeighbourPartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "neighbour")

    @Argument var misbehaviour: Misbehaviour

    @MainActor func run() async throws {
        try await NeighbourBench.runElsewhere(misbehaviour) { try OtherProcess.greet("ready") }
    }
}

/// `lattice-bench part coordinate`: runs a coordinator whose worker has started programs. Its greeting contains the
/// process identifiers of the worker and of these programs.
struct CoordinatePartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "coordinate")

    @MainActor func run() async throws {
        try await withCoordinator(hosting: FaultyFeature.self, configuration: .bench) { coordinator in
            let faulty = try await coordinator.viewModel(FaultyFeature.self)
            try BenchError.check(await faulty.sendViewEvent(.startPrograms).finish(), of: "starting programs")
            let processes = [try faulty.workerProcess.processID] + faulty.viewState.programs
            try OtherProcess.greet(processes.map { "\($0)" }.joined(separator: " "))
            // The process is killed long before this ends.
            try await Task.sleep(for: .seconds(1000))
        }
    }
}

/// `lattice-bench part look`: looks into a coordinator again and again.
struct LookPartCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "look")

    @Argument var tool: OperatingTool
    @Argument var path: String

    func run() async throws {
        try await tool.run(at: path) { try OtherProcess.greet("ready") }
    }
}

extension OperatingTool: ExpressibleByArgument {}
