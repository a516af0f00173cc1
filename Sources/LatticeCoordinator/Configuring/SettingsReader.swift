import LatticeProcess
import LatticeSession
import Logging

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A configuration into which the settings of a file and of the environment were read.
struct ReadSettings: Sendable {
    /// Where the value of a setting comes from.
    enum Source: Sendable, Equatable, CustomStringConvertible {
        case file(String, line: Int)
        case variable(String)

        var description: String {
            switch self {
            case .file(let path, let line): "\(path):\(line)"
            case .variable(let name): "environment \(name)"
            }
        }
    }

    /// A setting of the coordinator, or of a group.
    struct Name: Hashable, Sendable, CustomStringConvertible {
        var group: String?
        let key: String

        var description: String { group.map { "\(key) of group \"\($0)\"" } ?? key }
    }

    /// The result.
    var configuration: CoordinatorConfiguration
    /// The sources of the settings that were read.
    var sources: [Name: Source] = [:]

    /// The log level that was read. Nil if only the program sets one, which it may change at any time.
    var logLevel: Logger.Level? {
        sources[Name(key: "logLevel")] == nil ? nil : configuration.logger.logLevel
    }
}

/// Reads settings into a configuration. If one of them is wrong, there is no result.
///
/// The settings of the environment have precedence over those of the file, and both over those of the program.
struct SettingsReader {
    /// The maximum number of mistakes that an error lists. The rest is counted.
    static let maximumMistakes = 20

    private struct Entry {
        let name: ReadSettings.Name
        let value: String
        let source: ReadSettings.Source
    }

    private var entries: [Entry] = []
    /// The entries of the file that variables replace. Their form is checked, because a variable may go.
    private var replaced: [Entry] = []
    private var mistakes: [String] = []
    private let base: CoordinatorConfiguration

    /// Reads what the configuration asks for: its ``CoordinatorConfiguration/settingsFile`` and the variables with its
    /// ``CoordinatorConfiguration/settingsPrefix``.
    ///
    /// - Throws: `CoordinatorError` of the code `invalid`, which lists all mistakes with their places.
    static func read(into base: CoordinatorConfiguration) throws(CoordinatorError) -> ReadSettings {
        var text: String?
        if let path = base.settingsFile {
            text = SmallFile.read(path)
            guard text != nil else { throw .settings(["\(path): \(Self.unreadable)"]) }
        }
        let variables = base.settingsPrefix.map { Self.variables(with: $0) } ?? []
        return try read(text, variables, into: base)
    }

    private static let unreadable =
        "The file cannot be read. Check that it exists, that this user may read it, and that it has at most 1 MiB."

    /// Reads a text and variables, which `settingsFile` and `settingsPrefix` only name.
    static func read(
        _ text: String?,
        _ variables: [(name: String, value: String)],
        into base: CoordinatorConfiguration
    ) throws(CoordinatorError) -> ReadSettings {
        var reader = SettingsReader(base: base)
        if let text { reader.add(SettingsText(text), of: base.settingsFile ?? "") }
        reader.add(variables, prefix: base.settingsPrefix ?? "")
        return try reader.result()
    }

    private init(base: CoordinatorConfiguration) {
        self.base = base
    }

    // MARK: Reading

    private mutating func add(_ text: SettingsText, of path: String) {
        for fault in text.faults { mistakes.append("\(path):\(fault.line): \(fault.sentence)") }
        for line in text.assignments {
            let name = ReadSettings.Name(group: line.group, key: line.key)
            if let earlier = entries.first(where: { $0.name == name }) {
                mistakes.append(
                    "\(path):\(line.line): \(line.key) was set before at \(earlier.source). Remove one of them."
                )
            } else {
                entries.append(Entry(name: name, value: line.value, source: .file(path, line: line.line)))
            }
        }
    }

    private mutating func add(_ variables: [(name: String, value: String)], prefix: String) {
        let known = Dictionary(uniqueKeysWithValues: Setting.all.map { (prefix + $0.variable, $0.key) })
        for (variable, value) in variables.sorted(by: { $0.name < $1.name }) {
            guard let key = known[variable] else {
                let proposal = Spelling.nearest(to: variable, among: known.keys)
                mistakes.append("environment \(variable): There is no such setting.\(Self.proposal(proposal))")
                continue
            }
            let name = ReadSettings.Name(key: key)
            replaced += entries.filter { $0.name == name }
            entries.removeAll { $0.name == name }
            entries.append(Entry(name: name, value: value, source: .variable(variable)))
        }
    }

    private static func variables(with prefix: String) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        var place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> = environ
        while let entry = place.pointee {
            let text = String(cString: entry)
            if text.hasPrefix(prefix), let equals = text.firstIndex(of: "=") {
                found.append((String(text[..<equals]), String(text[text.index(after: equals)...])))
            }
            place += 1
        }
        return found
    }

    private static func proposal(_ word: String?) -> String {
        word.map { " Did you mean \($0)?" } ?? ""
    }

    // MARK: Applying

    private mutating func result() throws(CoordinatorError) -> ReadSettings {
        var read = ReadSettings(configuration: base)
        var scratch = base
        for entry in replaced { set(entry, known: Setting.all) { $0.set(entry.value, in: &scratch) } }
        // The coordinator's own settings come first, because they are the defaults of the groups.
        for entry in entries where entry.name.group == nil {
            set(entry, known: Setting.all) { $0.set(entry.value, in: &read.configuration) }
            read.sources[entry.name] = entry.source
        }
        for entry in entries {
            guard let group = entry.name.group else { continue }
            guard read.configuration.group(group) != nil else {
                let nearest = Spelling.nearest(to: group, among: read.configuration.groupNames)
                mistakes.append(
                    "\(entry.source): \(entry.name.key): There is no group \"\(group)\".\(Self.proposal(nearest))"
                )
                continue
            }
            set(entry, known: Setting.all.filter(\.isOfGroups)) { value in
                read.configuration.change(ofGroup: group) { value.set(entry.value, in: &$0) }
            }
            read.sources[entry.name] = entry.source
        }
        // Without a file and variables, what the program sets is checked when it is used.
        if mistakes.isEmpty, base.settingsFile != nil || base.settingsPrefix != nil { check(read) }
        guard mistakes.isEmpty else { throw .settings(mistakes) }
        return read
    }

    private mutating func set(_ entry: Entry, known: [Setting], _ set: (SettingValue) -> Bool) {
        let key = entry.name.key
        guard let setting = known.first(where: { $0.key == key }) else {
            let isOther = Setting.byKey[key] != nil
            let sentence =
                isOther
                ? "A group cannot have its own value. Move the line before the first section."
                : "There is no such setting.\(Self.proposal(Spelling.nearest(to: key, among: known.map(\.key))))"
            return mistakes.append("\(entry.source): \(key): \(sentence)")
        }
        if !set(setting.value) {
            let value = entry.value.count > 60 ? entry.value.prefix(60) + "…" : entry.value
            mistakes.append("\(entry.source): \(key): \(value.debugDescription) is not \(setting.value.form).")
        }
    }

    /// Checks the values and finds the place of the one that is wrong.
    private mutating func check(_ read: ReadSettings) {
        var scopes: [(group: String?, configuration: CoordinatorConfiguration)] = [(nil, read.configuration)]
        for group in read.configuration.groupNames {
            scopes.append((group, read.configuration.scope(ofGroup: group)))
        }
        for scope in scopes {
            // The limits of a group replace those of the coordinator, which may be impossible to keep here.
            guard let message = scope.configuration.problem else { continue }
            // A message begins with the key. Where it compares two settings, the second one may be the one that was
            // read.
            let words = message.split { $0 == " " || $0 == ";" || $0 == "," }.map(String.init)
            let name = words.filter { Setting.byKey[$0] != nil }
                .flatMap { key in [ReadSettings.Name(group: scope.group, key: key), ReadSettings.Name(key: key)] }
                .first { read.sources[$0] != nil }
            guard let name, let source = read.sources[name] else {
                // The program has set it. What it sets for a group is checked when the group is placed.
                if scope.group == nil { mistakes.append("program: \(message).") }
                continue
            }
            let sentence = "\(source): \(message)."
            if !mistakes.contains(sentence) { mistakes.append(sentence) }
        }
        for group in read.configuration.groupNames {
            do throws(CoordinatorError) {
                try read.configuration.group(group)?.checkShutdown(by: read.configuration.restart)
            } catch {
                let key = "restart.kind"
                let source = read.sources[.init(group: group, key: key)] ?? read.sources[.init(key: key)]
                mistakes.append("\(source.map { "\($0)" } ?? "program"): \(key): \(error.message).")
            }
        }
    }
}

extension CoordinatorError {
    /// The error of settings that cannot be used, with all mistakes.
    static func settings(_ mistakes: [String]) -> Self {
        let shown = mistakes.prefix(SettingsReader.maximumMistakes)
        let rest = mistakes.count - shown.count
        let more = rest > 0 ? ["… and \(rest) more."] : []
        return invalid(
            "The settings were not read, and nothing has changed.\n" + (shown + more).joined(separator: "\n")
        )
    }
}
