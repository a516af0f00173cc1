#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What a process uses at one moment, for people. A figure is nil if the system does not tell it, for example because
/// the process has ended or belongs to another user.
package struct ProcessFigures: Sendable, Equatable {
    /// The processor time that the process has used, in user mode and in the kernel.
    package var cpuTime: Duration?
    /// The memory of the process that is not swapped out, in bytes, including mapped files.
    package var residentBytes: Int?
    /// The number of descriptors that the process has open.
    package var openFiles: Int?

    /// Reads the figures of a process from the system, which takes some tens of microseconds.
    package init(of process: Int32) {
        #if os(Linux)
        if let text = SmallFile.read("/proc/\(process)/stat") {
            (cpuTime, residentBytes) = Self.figures(
                inStat: text,
                ticksPerSecond: sysconf(Int32(_SC_CLK_TCK)),
                bytesPerPage: sysconf(Int32(_SC_PAGESIZE))
            )
        }
        openFiles = SmallFile.names(in: "/proc/\(process)/fd", atMost: .max)?.count
        #endif
    }

    /// Parses the line that Linux provides for a process.
    static func figures(inStat text: String, ticksPerSecond: Int, bytesPerPage: Int) -> (Duration?, Int?) {
        // The name of the program is in parentheses and may contain any character, also spaces and parentheses.
        guard let name = text.lastIndex(of: ")") else { return (nil, nil) }
        let fields = text[text.index(after: name)...].split(separator: " ")
        // The fields after the name are counted from 3 in the manual of proc(5).
        func field(_ number: Int) -> Int? {
            let index = number - 3
            return fields.indices.contains(index) ? Int(fields[index]) : nil
        }
        var cpuTime: Duration?
        if let user = field(14), let system = field(15), ticksPerSecond > 0 {
            cpuTime = .milliseconds((user + system) * 1000 / ticksPerSecond)
        }
        return (cpuTime, field(24).map { $0 * bytesPerPage })
    }

    /// Returns the path of the program that a process runs, as the system states it. Nil if the system does not. Only
    /// another program can change it, by being run by the process.
    package static func executable(of process: Int32) -> String? {
        #if os(Linux)
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(process)/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #else
        return nil
        #endif
    }

    /// Returns the path of the program that a process runs. If the system does not tell the path, it is the first word
    /// of the command line, which the process can choose. Nil if neither is known.
    package static func program(of process: Int32) -> String? {
        #if os(Linux)
        if let executable = executable(of: process) { return executable }
        let line = SmallFile.read("/proc/\(process)/cmdline") ?? ""
        return line.split(separator: "\0").first.map(String.init)
        #else
        return nil
        #endif
    }
}
