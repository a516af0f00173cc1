import LatticeConcurrency
import LatticeControl

/// A coordinator, or the socket that one has left, as `latticectl ps` shows it.
struct RunningCoordinator: Sendable {
    /// The state of a coordinator.
    enum State: String, Sendable {
        case running
        /// It does not answer in time.
        case silent
        /// It may not be looked into.
        case refused
        /// It does not understand the request.
        case old
        /// No process listens at the socket.
        case dead
    }

    /// The number of coordinators that are asked at the same time. Each takes a thread and a few descriptors.
    private static let atOnce = 16

    let path: String
    let state: State
    /// The row of the section `coordinator`, or no fields if there was no answer.
    let fields: [String: DescriptionValue]

    /// The last part of the path of the program, or nil.
    var program: String? {
        fields["program"]?.string.map { String($0.split(separator: "/").last ?? "") }
    }

    var processID: Int? { fields["processID"]?.int }

    /// The row for `ps`.
    var row: [String: DescriptionValue] {
        var row: [String: DescriptionValue] = ["socket": .text(path), "state": .text(state.rawValue)]
        for key in ["processID", "uptimeMilliseconds", "workers", "instances", "clients"] {
            row[key] = fields[key] ?? .null
        }
        row["program"] = DescriptionValue(program)
        return row
    }

    /// Asks the coordinators at some sockets, and returns what they answer in the order of the paths.
    static func find(at paths: [String], timeout: Duration) async -> [RunningCoordinator] {
        await withTaskGroup(of: (Int, RunningCoordinator).self) { group in
            var found: [Int: RunningCoordinator] = [:]
            for (index, path) in paths.enumerated() {
                if index >= atOnce, let (index, coordinator) = await group.next() { found[index] = coordinator }
                group.addTask { (index, await ask(at: path, timeout: timeout)) }
            }
            for await (index, coordinator) in group { found[index] = coordinator }
            return paths.indices.compactMap { found[$0] }
        }
    }

    private static func ask(at path: String, timeout: Duration) async -> RunningCoordinator {
        do {
            return try await withControlClient(connectingTo: path, timeout: timeout) { control in
                // A coordinator that does not describe itself has a process ID nevertheless.
                var fields: [String: DescriptionValue] = ["processID": DescriptionValue(control.processID)]
                do {
                    fields.merge(try await control.describe("coordinator").rows.first ?? [:]) { $1 }
                    return RunningCoordinator(path: path, state: .running, fields: fields)
                } catch {
                    return RunningCoordinator(path: path, state: State(error), fields: fields)
                }
            }
        } catch {
            return RunningCoordinator(path: path, state: State(error), fields: [:])
        }
    }

    /// Returns the coordinator that a user means.
    ///
    /// - Parameter name: A process ID or the name of a program, or nil for the only one that runs.
    /// - Throws: `ControlFailure` if there is none, or more than one.
    static func choose(_ name: String?, among all: [RunningCoordinator]) throws -> RunningCoordinator {
        let running = all.filter { $0.state != .dead }
        let matching = name.map { name in
            running.filter { $0.program == name || $0.processID.map { "\($0)" } == name || $0.path == name }
        }
        let chosen = matching ?? running
        guard let first = chosen.first else {
            let subject = name.map { "No coordinator \"\($0)\" runs" } ?? "No coordinator of this user runs"
            throw ControlFailure(
                "\(subject). Use latticectl ps to see which do, or give the path with --socket.",
                code: 1
            )
        }
        guard chosen.count == 1 else {
            let ones = chosen.map { $0.processID.map { "\($0)" } ?? $0.path }.joined(separator: ", ")
            throw ControlFailure("\(chosen.count) coordinators run: \(ones). Choose one with --coordinator.", code: 1)
        }
        return first
    }

    /// Returns the lines of `ps`.
    static func lines(of all: [RunningCoordinator], width: Int?, heading: (String) -> String) -> [String] {
        let columns = [
            TextTable.Column("processID", "PID"), TextTable.Column("state", "STATE"),
            TextTable.Column("program", "PROGRAM"), TextTable.Column("uptimeMilliseconds", "UPTIME"),
            TextTable.Column("workers", "WORKERS"), TextTable.Column("instances", "INST"),
            TextTable.Column("clients", "CLIENTS"), TextTable.Column("socket", "SOCKET", keepsEnd: true),
        ]
        let lines = TextTable(all.map(\.row), preferring: columns).lines(width: width).lines
        return lines.prefix(1).map(heading) + lines.dropFirst()
    }
}

extension RunningCoordinator.State {
    init(_ error: any Error) {
        switch (error as? ControlError)?.code {
        case ControlError.Code.silent?, ControlError.Code.busy?: self = .silent
        case ControlError.Code.refused?: self = .refused
        case ControlError.Code.unsupported?, ControlError.Code.unknownSection?, ControlError.Code.unreadable?:
            self = .old
        default: self = .dead
        }
    }
}
