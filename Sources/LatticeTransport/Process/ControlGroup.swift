import CLatticeSystem

/// A cgroup with a program that this process starts, and with all that the program starts: cgroups(7).
///
/// It ends all of them, whatever they do to get away, and can limit them together. A program gets one where this
/// process may make one, and else does without, unless its limits need it. In a tree of version 1 it is one folder for
/// each of the controllers that are used. The program is in it before it runs.
final class ControlGroup: Sendable {
    private typealias Place = ControlGroupMounts.Place

    /// How often is looked whether all have ended, and how long passes in between: a second in all.
    private static let (rounds, pauseMilliseconds): (Int, Int32) = (100, 10)

    /// How long what others left may still take: twice of what the watch of a worker gives it.
    private static let leftMilliseconds: Int32 = 1000

    /// No more tasks than this can be counted: `PID_MAX_LIMIT` of Linux.
    private static let maximumTasks = 1 << 22

    /// The variable that tells a program, behind its lineage and a colon, which file names the processes of its group.
    static let variableName = "LATTICE_CGROUP"

    private static let processesName = "/cgroup.procs"

    private let folders: [Place]
    private let limits: ProcessLimits

    private init(_ folders: [Place], _ limits: ProcessLimits) {
        self.folders = folders
        self.limits = limits
    }

    /// Whether the program has limits that only a group keeps.
    var isNeeded: Bool { limits.memoryBytes != nil || limits.tasks != nil }

    /// Makes a group with no process in it yet.
    ///
    /// - Returns: nil: none can be made here, and the limits need none.
    /// - Throws: `.system` where the limits need one.
    static func make(_ limits: ProcessLimits) throws(TransportError) -> ControlGroup? {
        var places: Set<Place> = []
        if limits.memoryBytes != nil { places.insert(try needed(ControlGroupPlaces.memory)) }
        if limits.tasks != nil { places.insert(try needed(ControlGroupPlaces.tasks)) }
        // One of version 2 does for that as well.
        if let ending = ControlGroupPlaces.ending, places.allSatisfy({ $0.version == .one }) { places.insert(ending) }
        guard !places.isEmpty else { return nil }
        let folders = places.map { Place(version: $0.version, path: ControlGroupPlaces.newPath(in: $0)) }
        let group = ControlGroup(folders, limits)
        do throws(TransportError) {
            for folder in group.folders {
                let error = System.makeFolder(folder.path, 0o755)
                // The kernel has numbers for so many, and none left at the moment.
                guard error == 0 else {
                    throw .system("make the cgroup \(folder.path)", error == ENOSPC ? EAGAIN : error)
                }
            }
            try group.apply()
            return group
        } catch {
            group.end()
            guard group.isNeeded else { return nil }
            throw error
        }
    }

    private static func needed(_ place: Place?) throws(TransportError) -> Place {
        guard let place else { throw .system("make a cgroup", ENOTSUP) }
        return place
    }

    private func apply() throws(TransportError) {
        if let bytes = limits.memoryBytes {
            try set(["memory.max", "memory.limit_in_bytes"], to: "\(bytes)")
            // Where swapping is counted at all: what does not fit is not to go there instead.
            try? set(["memory.swap.max"], to: "0")
            try? set(["memory.memsw.limit_in_bytes"], to: "\(bytes)")
            // All end, and not the one that has most.
            try? set(["memory.oom.group"], to: "1")
        }
        if let tasks = limits.tasks { try set(["pids.max"], to: tasks > Self.maximumTasks ? "max" : "\(tasks)") }
    }

    /// Writes to the first of these files that there is.
    private func set(_ names: [String], to value: String) throws(TransportError) {
        var last = ENOENT
        for path in folders.flatMap({ folder in names.map { "\(folder.path)/\($0)" } }) {
            last = SmallFile.write(value, to: path)
            if last == 0 { return }
            guard last == ENOENT else { break }
        }
        throw .system("set \(names[0]) of a cgroup to \(value)", last)
    }

    /// The file that tells which processes are in it.
    var processes: String { folders.first.map { $0.path + Self.processesName } ?? "" }

    /// Opens what a process writes to in order to be in it; what does not open is left out where that may be.
    func openEntrances() throws(TransportError) -> [OwnedDescriptor] {
        var entrances: [OwnedDescriptor] = []
        for folder in folders {
            let (file, error) = SmallFile.openToWrite(folder.path + Self.processesName)
            if error == 0 {
                entrances.append(file)
            } else if isNeeded {
                for entrance in entrances { entrance.close() }
                throw .system("open the cgroup \(folder.path)", error)
            }
        }
        return entrances
    }

    /// Whether a process of it was ended since they had too much memory together. In a tree of version 1 that may have
    /// been another one than the last, and some time ago.
    var wasOutOfMemory: Bool {
        guard limits.memoryBytes != nil else { return false }
        // Where that is told, those that were ended since the whole machine had no more are not meant.
        return folders.contains { folder in
            switch folder.version {
            case .one: Self.counts("oom_kill", "\(folder.path)/memory.oom_control")
            case .two: ["oom_kill", "oom"].allSatisfy { Self.counts($0, "\(folder.path)/memory.events") }
            }
        }
    }

    /// Whether a file has a line with this name and another number than 0.
    private static func counts(_ name: String, _ path: String) -> Bool {
        SmallFile.read(path)?.split(separator: "\n").contains { $0.hasPrefix(name + " ") && $0 != name + " 0" } ?? false
    }

    /// Kills all that is in it.
    func killAll() {
        for folder in folders { Self.killAll(in: folder.path) }
    }

    /// Kills all that is in it, and takes it away when that has ended, for about a second at most.
    func end() {
        Self.end(folders.map(\.path))
    }

    /// The same with groups of processes that have ended. What is in them has the time for an orderly end that a worker
    /// has without its coordinator; what is left then is killed, in the background.
    static func endLeft(_ paths: [String]) {
        let taken = paths.filter { !remove($0) }
        guard !taken.isEmpty else { return }
        // Without a thread the next process that looks does it.
        try? System.startThread(name: "lattice-left") {
            let deadline = ContinuousClock.now + .milliseconds(Int(leftMilliseconds))
            // Cut short by what handles a signal.
            while ContinuousClock.now < deadline { poll(nil, 0, leftMilliseconds) }
            System.runApart { for path in taken { end([path]) } }
        }
    }

    private static func end(_ paths: [String]) {
        var paths = paths
        for _ in 0..<rounds {
            paths.removeAll { remove($0) }
            guard !paths.isEmpty else { return }
            for path in paths { killAll(in: path) }
            poll(nil, 0, pauseMilliseconds)
        }
    }

    private static func killAll(in path: String) {
        if SmallFile.write("1", to: path + "/cgroup.kill") == 0 { return }
        // Where that is limited nobody is added meanwhile; else there is another round.
        _ = SmallFile.write("0", to: path + "/pids.max")
        for folder in SmallFile.folders(in: path) { killAll(in: path + "/" + folder) }
        for process in SmallFile.read(path + processesName)?.split(separator: "\n").compactMap({ Int32($0) }) ?? [] {
            // 0: of a namespace that is not seen from here.
            if process > 1, process != System.processID { kill(process, SIGKILL) }
        }
    }

    /// With the groups in it, which are of programs that had some of their own.
    ///
    /// - Returns: Whether it is gone.
    private static func remove(_ path: String) -> Bool {
        func isGone() -> Bool { [0, ENOENT].contains(System.call { rmdir(path) }.errno) }
        if isGone() { return true }
        for folder in SmallFile.folders(in: path) { _ = remove(path + "/" + folder) }
        return isGone()
    }
}
