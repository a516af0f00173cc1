import Logging

/// The kind of a setting's value: where it is in the configuration, and how it is written.
enum SettingValue: Sendable {
    typealias Place<Value> = WritableKeyPath<CoordinatorConfiguration, Value> & Sendable

    case time(any Place<Duration>)
    /// A time, or `none`.
    case optionalTime(any Place<Duration?>)
    case count(any Place<Int>)
    /// A count, or `none`.
    case optionalCount(any Place<Int?>)
    case size(any Place<Int>)
    /// A size, or `none`.
    case optionalSize(any Place<Int?>)
    case number(any Place<Double>)
    case flag(any Place<Bool>)
    case level(any Place<Logger.Level>)
    case kind(any Place<RestartPolicy.Kind>)

    /// What a value must look like, for error messages.
    var form: String {
        switch self {
        case .time: "a time such as 250 ms, 10 s, 5 min or 2 h"
        case .optionalTime: "a time such as 250 ms, 10 s, 5 min or 2 h, or none"
        case .count: "a whole number"
        case .optionalCount: "a whole number, or none"
        case .size: "a number of bytes such as 65536, 64 KiB, 512 MiB or 2 GiB"
        case .optionalSize: "a number of bytes such as 65536, 64 KiB, 512 MiB or 2 GiB, or none"
        case .number: "a number such as 2 or 0.5"
        case .flag: "true or false"
        case .level: "one of \(Logger.Level.allCases.map(\.rawValue).joined(separator: ", "))"
        case .kind: "one of \(Self.kinds.map(\.description).joined(separator: ", "))"
        }
    }

    private static let kinds: [RestartPolicy.Kind] = [.permanent, .transient, .temporary]

    /// Sets the value that a text stands for.
    ///
    /// - Returns: Whether the text has the right form. If not, nothing has changed.
    func set(_ text: String, in configuration: inout CoordinatorConfiguration) -> Bool {
        switch self {
        case .time(let place): Self.set(Self.time(text), place, &configuration)
        case .optionalTime(let place): Self.set(Self.orNone(text, Self.time), place, &configuration)
        case .count(let place): Self.set(Int(text), place, &configuration)
        case .optionalCount(let place): Self.set(Self.orNone(text) { Int($0) }, place, &configuration)
        case .size(let place): Self.set(Self.size(text), place, &configuration)
        case .optionalSize(let place): Self.set(Self.orNone(text, Self.size), place, &configuration)
        case .number(let place): Self.set(Double(text).flatMap { $0.isFinite ? $0 : nil }, place, &configuration)
        case .flag(let place): Self.set(Bool(text), place, &configuration)
        case .level(let place): Self.set(Logger.Level(rawValue: text), place, &configuration)
        case .kind(let place): Self.set(Self.kinds.first { $0.description == text }, place, &configuration)
        }
    }

    /// Returns the value of a configuration, in the form in which it is written in a file.
    func text(in configuration: CoordinatorConfiguration) -> String {
        switch self {
        case .time(let place): Self.text(configuration[keyPath: place])
        case .optionalTime(let place): configuration[keyPath: place].map(Self.text) ?? "none"
        case .count(let place): "\(configuration[keyPath: place])"
        case .optionalCount(let place): configuration[keyPath: place].map { "\($0)" } ?? "none"
        case .size(let place): Self.text(bytes: configuration[keyPath: place])
        case .optionalSize(let place): configuration[keyPath: place].map { Self.text(bytes: $0) } ?? "none"
        case .number(let place): "\(configuration[keyPath: place])"
        case .flag(let place): "\(configuration[keyPath: place])"
        case .level(let place): configuration[keyPath: place].rawValue
        case .kind(let place): configuration[keyPath: place].description
        }
    }

    /// Copies the value of one configuration into another one.
    func copy(from source: CoordinatorConfiguration, to target: inout CoordinatorConfiguration) {
        switch self {
        case .time(let place): target[keyPath: place] = source[keyPath: place]
        case .optionalTime(let place): target[keyPath: place] = source[keyPath: place]
        case .count(let place), .size(let place): target[keyPath: place] = source[keyPath: place]
        case .optionalCount(let place), .optionalSize(let place): target[keyPath: place] = source[keyPath: place]
        case .number(let place): target[keyPath: place] = source[keyPath: place]
        case .flag(let place): target[keyPath: place] = source[keyPath: place]
        case .level(let place): target[keyPath: place] = source[keyPath: place]
        case .kind(let place): target[keyPath: place] = source[keyPath: place]
        }
    }

    private static func set<Value>(
        _ value: Value?,
        _ place: any Place<Value>,
        _ configuration: inout CoordinatorConfiguration
    ) -> Bool {
        guard let value else { return false }
        configuration[keyPath: place] = value
        return true
    }

    private static func orNone<Value>(_ text: String, _ read: (String) -> Value?) -> Value?? {
        text == "none" ? .some(nil) : read(text).map { .some($0) }
    }

    // MARK: Times and sizes

    private static let times: [(unit: String, milliseconds: Double)] = [
        ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1),
    ]
    private static let sizes: [(unit: String, bytes: Int)] = [
        ("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1),
    ]

    /// Divides a text into a number and a unit.
    private static func divide(_ text: String) -> (number: Substring, unit: Substring) {
        let number = text.prefix { $0.isNumber || $0 == "." || $0 == "-" }
        return (number, text[number.endIndex...].drop(while: \.isWhitespace))
    }

    /// Returns a time of whole milliseconds. A time without a unit is none, except zero.
    private static func time(_ text: String) -> Duration? {
        let (number, unit) = divide(text)
        guard let value = Double(number) else { return nil }
        if unit.isEmpty { return value == 0 ? .zero : nil }
        guard let scale = times.first(where: { $0.unit == unit }) else { return nil }
        let milliseconds = (value * scale.milliseconds).rounded()
        // Longer times are longer than any setting may be, and would not fit.
        return milliseconds.magnitude < 1e15 ? .milliseconds(Int64(milliseconds)) : nil
    }

    private static func size(_ text: String) -> Int? {
        let (number, unit) = divide(text)
        guard let value = Int(number) else { return nil }
        if unit.isEmpty { return value }
        guard let scale = sizes.first(where: { $0.unit == unit }) else { return nil }
        let (bytes, overflow) = value.multipliedReportingOverflow(by: scale.bytes)
        return overflow ? nil : bytes
    }

    private static func text(_ time: Duration) -> String {
        let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
        if milliseconds == 0 { return "0" }
        let scale = times.first { milliseconds.isMultiple(of: Int64($0.milliseconds)) } ?? ("ms", 1)
        return "\(milliseconds / Int64(scale.milliseconds)) \(scale.unit)"
    }

    private static func text(bytes: Int) -> String {
        guard bytes != 0, let scale = sizes.first(where: { bytes.isMultiple(of: $0.bytes) }), scale.bytes > 1 else {
            return "\(bytes)"
        }
        return "\(bytes / scale.bytes) \(scale.unit)"
    }
}
