import ByteTestSupport
import Foundation
import LatticeWire

/// The JSON view of a message: field names as in the specification, byte strings as hexadecimal digits.
enum VectorView {
    /// Returns a value as JSON with sorted keys, so that every implementation writes the same file.
    static func json(_ value: Any) -> String {
        switch value {
        case let text as String: quoted(text)
        // An empty array of anything casts to [UInt8], so the type itself is asked.
        case let bytes as [UInt8] where type(of: value) == [UInt8].self: quoted(Hex.digits(bytes))
        case let list as [Any]: "[" + list.map(json).joined(separator: ", ") + "]"
        case let versions as ClosedRange<UInt16>: "[\(versions.lowerBound), \(versions.upperBound)]"
        case let outcome as WireOutcome: json(outcome)
        case let cause as WireCause: json(cause)
        case let canceller as WireCanceller: json(canceller)
        case let role as Role: "\(role.rawValue)"
        case let level as FeatureLevel: "\(level.rawValue)"
        case let kind as HostStatusMessage.Kind: "\(kind.rawValue)"
        case let code as ReplyCode: "\(code.rawValue)"
        case let method as CallMethod: json(method)
        case let cut as DescriptionCut: "\(cut.rawValue)"
        case let code as any RawRepresentable<UInt16>: "\(code.rawValue)"
        case let number as any BinaryInteger: "\(number)"
        default: object(value)
        }
    }

    private static func object(_ value: Any) -> String {
        let fields = Mirror(reflecting: value).children.compactMap { child -> String? in
            guard let label = child.label, let present = unwrapped(child.value) else { return nil }
            return "\(quoted(label)): \(json(present))"
        }
        return "{" + fields.joined(separator: ", ") + "}"
    }

    private static func unwrapped(_ value: Any) -> Any? {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return value }
        return mirror.children.first?.value
    }

    private static func json(_ outcome: WireOutcome) -> String {
        switch outcome {
        case .finished: "[0]"
        case .failed(let type, let message): "[1, \(quoted(type)), \(quoted(message))]"
        case .cancelled(let cancellation): json(cancellation)
        case .rejected(let code, let reason, let value):
            "[3, \(code.rawValue), \(quoted(reason))\(value.map { ", \(json($0))" } ?? "")]"
        case .interrupted(let cause, let incarnation): "[4, \(json(cause)), \(incarnation)]"
        case .unknown(let reason): "[5, \(quoted(reason))]"
        case .other(let number, let sentence): "[\(number), \(quoted(sentence))]"
        }
    }

    private static func json(_ method: CallMethod) -> String {
        switch method {
        case .named(let name): quoted(name)
        case .operation(let operation): "\(operation.rawValue)"
        }
    }

    private static func json(_ cancellation: WireCancellation) -> String {
        guard cancellation != WireCancellation() else { return "[2]" }
        let canceller = json(cancellation.canceller)
        return "[2, \(canceller), \(cancellation.stage.rawValue), \(quoted(cancellation.reason))]"
    }

    private static func json(_ canceller: WireCanceller) -> String {
        switch canceller {
        case .unknown: "[0]"
        case .sender: "[1]"
        case .feature: "[2]"
        case .deadline: "[3]"
        case .closed: "[4]"
        case .tool(let name): "[5, \(quoted(name))]"
        case .other(let number, let sentence): "[\(number), \(quoted(sentence))]"
        }
    }

    private static func json(_ cause: WireCause) -> String {
        switch cause {
        case .exit(let code): "[1, \(code)]"
        case .signal(let number): "[2, \(number)]"
        case .hang: "[3]"
        case .limit(let name): "[4, \(quoted(name))]"
        case .disconnected: "[5]"
        case .lackOfResources(let reason): "[6, \(quoted(reason))]"
        case .group(let name): "[7, \(quoted(name))]"
        case .statusLost(let reason): "[8, \(quoted(reason))]"
        case .requested(let requester): "[9, \(quoted(requester))]"
        case .other(let number, let sentence): "[\(number), \(quoted(sentence))]"
        }
    }

    static func quoted(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            default: scalar.value < 0x20 ? String(format: "\\u%04x", scalar.value) : String(scalar)
            }
        }
        return "\"" + escaped.joined() + "\""
    }
}
