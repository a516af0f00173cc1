import CLatticeSystem
import LatticeTransport

/// A cgroup with a program that this process starts, and with all processes that the program starts. See cgroups(7).
///
/// It can end all of them, whatever they do to escape, and can limit them together. A program gets a cgroup if this
/// process may create one. Otherwise it runs without, unless its limits need one. In a tree of version 1 it consists of
/// one folder for each controller that is used. The program is in the cgroup before it runs.
final class ControlGroup: Sendable {
    private typealias Place = ControlGroupMounts.Place

    /// The number of checks whether all processes have ended, and the pause between two checks. Together they take one
    /// second.
    private static let (rounds, pauseMilliseconds): (Int, Int32) = (100, 10)

    /// The time that processes of other coordinators have to end, in milliseconds. It is twice the time that the watch
    /// of a worker gives.
    private static let graceMilliseconds: Int32 = 1000

    /// The maximum number of tasks that can be counted: `PID_MAX_LIMIT` of Linux.
    private static let maximumTasks = 1 << 22

    /// The variable that tells a program the file that names the processes of its group, after its lineage and a colon.
    static let variableName = "LATTICE_CGROUP"

    private static let processesName = "/cgroup.procs"

    private let folders: [Place]
    private let limits: ProcessLimits

    private init(_ folders: [Place], _ limits: ProcessLimits) {
        self.folders = folders
        self.limits = limits
    }

    /// A Boolean value that indicates whether the program has limits that only a group enforces.
    var isNeeded: Bool { limits.memoryBytes != nil || limits.tasks != nil }

    /// Creates a group without processes.
    ///
    /// - Returns: The group, or nil if none can be created and the limits need none.
    /// - Throws: `.system` if none can be created and the limits need one.
    static func make(_ limits: ProcessLimits) throws(TransportError) -> ControlGroup? {
        var places: Set<Place> = []
        if limits.memoryBytes != nil { places.insert(try needed(ControlGroupPlaces.memory)) }
        if limits.tasks != nil { places.insert(try needed(ControlGroupPlaces.tasks)) }
        // A group of version 2 serves that purpose as well.
        if let ending = ControlGroupPlaces.ending, places.allSatisfy({ $0.version == .one }) { places.insert(ending) }
        guard !places.isEmpty else { return nil }
        let folders = places.map { Place(version: $0.version, path: ControlGroupPlaces.newPath(in: $0)) }
        let group = ControlGroup(folders, limits)
        do throws(TransportError) {
            for folder in group.folders {
                let error = System.makeFolder(folder.path, 0o755)
                // The kernel has a limited number of identifiers, and none is free at the moment.
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
            // Only if swapping is counted. Memory that does not fit must not be swapped out instead.
            try? set(["memory.swap.max"], to: "0")
            try? set(["memory.memsw.limit_in_bytes"], to: "\(bytes)")
            // All processes end, instead of only the one that has most memory.
            try? set(["memory.oom.group"], to: "1")
        }
        if let tasks = limits.tasks { try set(["pids.max"], to: tasks > Self.maximumTasks ? "max" : "\(tasks)") }
    }

    /// Writes to the first of these files that exists.
    private func set(_ names: [String], to value: String) throws(TransportError) {
        var last = ENOENT
        for path in folders.flatMap({ folder in names.map { "\(folder.path)/\($0)" } }) {
            last = SmallFile.write(value, to: path)
            if last == 0 { return }
            guard last == ENOENT else { break }
        }
        throw .system("set \(names[0]) of a cgroup to \(value)", last)
    }

    /// The path of the file that lists the processes in the group.
    var processes: String { folders.first.map { $0.path + Self.processesName } ?? "" }

    /// Opens the files to which a process writes to join the group. A file that does not open is left out if the limits
    /// do not need the group.
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

    /// A Boolean value that indicates whether a process of the group was ended because the group had too much memory.
    /// In a tree of version 1 that may have been another process than the last one, and some time ago.
    var wasOutOfMemory: Bool {
        guard limits.memoryBytes != nil else { return false }
        // If the system reports it, processes that were ended because the whole machine had no memory left do not
        // count.
        return folders.contains { folder in
            switch folder.version {
            case .one: Self.counts("oom_kill", "\(folder.path)/memory.oom_control")
            case .two: ["oom_kill", "oom"].allSatisfy { Self.counts($0, "\(folder.path)/memory.events") }
            }
        }
    }

    /// Returns whether a file has a line with this name and a number other than 0.
    private static func counts(_ name: String, _ path: String) -> Bool {
        SmallFile.read(path)?.split(separator: "\n").contains { $0.hasPrefix(name + " ") && $0 != name + " 0" } ?? false
    }

    /// Kills all processes in the group.
    func killAll() {
        for folder in folders { Self.killAll(in: folder.path) }
    }

    /// Kills all processes in the group, and removes it when they have ended. This takes at most about one second.
    func end() {
        Self.end(folders.map(\.path))
    }

    /// Ends groups of coordinators that have ended. The processes in them have the time for an orderly end that a
    /// worker has without its coordinator. The remaining ones are then killed in the background.
    static func endAbandoned(_ paths: [String]) {
        let taken = paths.filter { !remove($0) }
        guard !taken.isEmpty else { return }
        // Without a thread, the next process that checks does it.
        try? System.startThread(name: "lattice-left") {
            let deadline = ContinuousClock.now + .milliseconds(Int(graceMilliseconds))
            // A signal handler can cut the pause short.
            while ContinuousClock.now < deadline { poll(nil, 0, graceMilliseconds) }
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
        // If this limit works, no process is added meanwhile. Otherwise another round follows.
        _ = SmallFile.write("0", to: path + "/pids.max")
        for folder in SmallFile.folders(in: path) { killAll(in: path + "/" + folder) }
        for process in SmallFile.read(path + processesName)?.split(separator: "\n").compactMap({ Int32($0) }) ?? [] {
            // 0 stands for a process of a namespace that is not visible from here.
            if process > 1, process != System.processID { kill(process, SIGKILL) }
        }
    }

    /// Removes a group together with the groups in it, which belong to programs that created their own.
    ///
    /// - Returns: Whether the group does not exist any more.
    private static func remove(_ path: String) -> Bool {
        func isGone() -> Bool { [0, ENOENT].contains(System.call { rmdir(path) }.errno) }
        if isGone() { return true }
        for folder in SmallFile.folders(in: path) { _ = remove(path + "/" + folder) }
        return isGone()
    }
}
