import CLatticeSystem

// Starting the program itself.
extension ChildProcess {
    /// - Returns: The process, and whether all that it starts is in the group.
    func spawn(
        _ program: Program,
        _ streams: Streams,
        _ group: ControlGroup?
    ) throws(TransportError) -> (process: Int32, isInGroup: Bool) {
        defer { streams.close() }
        let entrances = try group?.openEntrances() ?? []
        defer { for entrance in entrances { entrance.close() } }
        let groups = entrances.map(\.number)
        var changes = program.environment.map { "\($0.key)=\($0.value)" }
        if let lineage = program.lineage {
            let group = group.map { "\(lineage):\($0.processes)" } ?? ""
            changes += ["\(Program.lineageName)=\(lineage)", "\(ControlGroup.variableName)=\(group)"]
        }
        var (process, step) = (pid_t(-1), Int32(LATTICE_START))
        let error = withStrings(program, changes, groups) { path, arguments, environment, groups in
            var start = lattice_program(
                path: path,
                arguments: arguments,
                environment: environment,
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
        return (process, !groups.isEmpty && Int(step) != LATTICE_JOIN)
    }

    private func refusal(_ name: String, _ step: Int, _ error: Int32) -> TransportError {
        switch step {
        case LATTICE_JOIN: .system("move \(name) to a cgroup", error)
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

    /// The variables of this process, without those that have the names of others.
    private func environment(without others: [String]) -> [UnsafeMutablePointer<CChar>?] {
        // Bytes: a value may begin with what makes one character with the sign before it.
        let names = others.map { other in
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

    /// Texts as C has them: a list of pointers with a null pointer at its end.
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
