import CLatticeSystem
import LatticeTransport

// The start of the program itself.
extension ChildProcess {
    /// A program that was started, and the marks of the processes that it starts.
    struct Started {
        let process: Int32
        /// A Boolean value that indicates whether all of its processes are in the cgroup.
        let isInGroup: Bool
        /// The variable that marks its processes, as `NAME=value`; nil if there is none.
        let lineage: String?
        let pipes: (UInt64, UInt64)
    }

    func spawn(
        _ program: Program,
        _ streams: Streams,
        _ group: ControlGroup?
    ) throws(TransportError) -> Started {
        defer { streams.close() }
        let pipes = (lattice_pipe_of(streams.output.number), lattice_pipe_of(streams.error.number))
        let lineage = program.lineage.map { "\(program.lineageName)=\($0)" }
        let entrances = try group?.openEntrances() ?? []
        defer { for entrance in entrances { entrance.close() } }
        let groups = entrances.map(\.number)
        var changes = program.environment.map { "\($0.key)=\($0.value)" }
        if let lineage, let mark = program.lineage {
            changes.append(lineage)
            if program.lineageName == Program.lineageName {
                changes.append("\(ControlGroup.variableName)=\(group.map { "\(mark):\($0.processes)" } ?? "")")
            }
        }
        var (process, step) = (pid_t(-1), Int32(LATTICE_START))
        // Stays alive until the program runs.
        let directory = program.directory.map { strdup($0) }
        defer { free(directory ?? nil) }
        let error = withStrings(program, changes, groups) { path, arguments, environment, groups in
            var start = lattice_program(
                path: path,
                arguments: arguments,
                environment: environment,
                directory: directory ?? nil,
                input: streams.input.number,
                output: streams.output.number,
                error: streams.error.number,
                record: streams.record?.number ?? -1,
                groups: groups.baseAddress,
                group_count: Int32(groups.count),
                needs_groups: group?.isNeeded ?? false ? 1 : 0,
                limits: program.limits.ofProcess
            )
            return lattice_spawn(&start, &process, &step)
        }
        guard error == 0 else { throw refusal(program.arguments.first ?? program.path, Int(step), error) }
        let isInGroup = !groups.isEmpty && Int(step) != LATTICE_JOIN
        return Started(process: process, isInGroup: isInGroup, lineage: lineage, pipes: pipes)
    }

    private func refusal(_ name: String, _ step: Int, _ error: Int32) -> TransportError {
        switch step {
        case LATTICE_JOIN: .system("move \(name) to a cgroup", error)
        case LATTICE_DIRECTORY: .system("start \(name) in its directory", error)
        case LATTICE_LIMIT: .system("limit what \(name) may use", error)
        default: .system("start \(name)", error)
        }
    }

    private typealias Texts = UnsafePointer<UnsafeMutablePointer<CChar>?>

    private func withStrings(
        _ program: Program,
        _ changes: [String],
        _ groups: [Int32],
        _ body: (UnsafePointer<CChar>, Texts?, Texts?, UnsafeBufferPointer<Int32>) -> Int32
    ) -> Int32 {
        withStrings(program.arguments) { arguments in
            withStrings(changes, behind: environment(without: changes)) { environment in
                program.path.withCString { path in
                    groups.withUnsafeBufferPointer {
                        body(path, UnsafePointer(arguments), UnsafePointer(environment), $0)
                    }
                }
            }
        }
    }

    /// The variables with which a service manager such as systemd addresses this process alone. A worker that had them
    /// could report that the service is ready, or take descriptors for sockets of its own.
    private static let ofServiceManager = [
        "LISTEN_FDNAMES=", "LISTEN_FDS=", "LISTEN_PID=", "LISTEN_PIDFDID=", "NOTIFY_SOCKET=", "WATCHDOG_PID=",
        "WATCHDOG_USEC=",
    ]

    /// Returns the variables of this process, without those whose names occur in `others`, and those of a service
    /// manager.
    private func environment(without others: [String]) -> [UnsafeMutablePointer<CChar>?] {
        // The comparison uses bytes, because a value may begin with a scalar that combines with the sign before it.
        let names =
            Self.ofServiceManager
            + others.map { other in
                String(decoding: other.utf8.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self) + "="
            }
        var own = lattice_own_environment()
        var kept: [UnsafeMutablePointer<CChar>?] = []
        while let variable = own?.pointee {
            if !names.contains(where: { strncmp(variable, $0, $0.utf8.count) == 0 }) { kept.append(variable) }
            own = own?.advanced(by: 1)
        }
        return kept
    }

    /// Calls `body` with texts in the form of C: a list of pointers that ends with a null pointer.
    private func withStrings(
        _ texts: [String],
        behind first: [UnsafeMutablePointer<CChar>?] = [],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32
    ) -> Int32 {
        let own = texts.map { strdup($0) }
        defer { for pointer in own { free(pointer) } }
        var pointers = first + own + [nil]
        return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    }
}
