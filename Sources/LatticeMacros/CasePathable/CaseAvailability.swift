import SwiftSyntax

/// Where a case can be made at all. Code that makes an unavailable case compiles nowhere, not even where that code is
/// unavailable as well.
struct CaseAvailability {
    /// Whether the case is unavailable everywhere.
    private(set) var isNever = false
    /// The conditions of an `#if` that leaves out the platforms on which the case is unavailable.
    private(set) var conditions: [String] = []

    private static let platforms: Set<String> = ["macOS", "iOS", "tvOS", "watchOS", "visionOS"]

    init(_ attributes: AttributeListSyntax) {
        for attribute in attributes.availability {
            guard
                case .availability(let arguments) = attribute.arguments,
                arguments.contains(where: { $0.argument.trimmedDescription == "unavailable" }),
                let platform = arguments.first?.argument.trimmedDescription
            else { continue }
            if platform == "*" { isNever = true }
            if Self.platforms.contains(platform) { conditions.append("!os(\(platform))") }
        }
    }
}
