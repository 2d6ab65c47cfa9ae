<?php

declare(strict_types=1);

function find_user(PDO $db, string $name): ?array
{
    $query = $db->prepare('SELECT id, name FROM users WHERE name = ?');
    $query->execute([$name]);
    $row = $query->fetch(PDO::FETCH_ASSOC);

    return $row === false ? null : $row;
}
